// The frame of every view with a session: the bar of the environment, the navigation, and the menus.
import { AppShell, Burger, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useChanges } from '@dashboard/shared/session/changes.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { useSession } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { EnvironmentSwitch } from './environment-switch.js';
import { AccountMenu, LanguageMenu, SchemeMenu } from './menus.js';
import { Navigation } from './navigation/navigation.js';
import { PaletteButton } from './palette/palette-button.js';
import classes from './navigation/shell.module.css';
import { Shortcuts } from './shortcuts/shortcuts.js';
import { SHELL_TEXTS } from './navigation/texts.js';
import { UnreachableBar } from './unreachable-bar.js';

export function Shell(): ReactNode {
  const texts = useTexts(SHELL_TEXTS);
  const { merchant } = useSession();
  const environment = useEnvironment();
  useChanges(environment, merchant !== null);
  const name = merchant?.business_name ?? texts.administration;
  const bar = merchant === null ? null : environment === 'LIVE' ? texts.liveBar : texts.testBar;
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const [areKeysShown, keys] = useDisclosure(false);
  return (
    <AppShell
      header={{ height: merchant === null ? 60 : 88 }}
      navbar={{ width: 240, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="lg"
    >
      <AppShell.Header>
        <a className={classes.skip} href="#content">
          {texts.skip}
        </a>
        {bar !== null && (
          <div className={classes.bar} data-environment={environment} role="status">
            {bar}
          </div>
        )}
        <Head name={name} isOpen={isOpen} onMenu={toggle} onShortcuts={keys.open} />
      </AppShell.Header>
      <AppShell.Navbar
        className={classes.navigation}
        p="xs"
        component="nav"
        aria-label={texts.navigation}
      >
        <Text hiddenFrom="sm" fw={650} px="sm" truncate>
          {name}
        </Text>
        <Navigation onChosen={close} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <div className={classes.content}>
          <p className={classes.paper}>{[name, bar].filter(Boolean).join(' · ')}</p>
          <Outlet />
        </div>
      </AppShell.Main>
      <UnreachableBar />
      <Shortcuts isOpen={areKeysShown} onOpen={keys.open} onClose={keys.close} />
    </AppShell>
  );
}

interface HeadProps {
  readonly name: string;
  readonly isOpen: boolean;
  readonly onMenu: () => void;
  readonly onShortcuts: () => void;
}

function Head({ name, isOpen, onMenu, onShortcuts }: HeadProps): ReactNode {
  const texts = useTexts(SHELL_TEXTS);
  const { merchant } = useSession();
  return (
    <div className={classes.head} data-merchant={merchant !== null}>
      <Burger opened={isOpen} onClick={onMenu} hiddenFrom="sm" size="sm" aria-label={texts.menu} />
      <Text className={classes.name} fw={650} truncate>
        {name}
      </Text>
      <div className={`${classes.tools ?? ''} ${classes.menus ?? ''}`}>
        <PaletteButton />
        {merchant !== null && <EnvironmentSwitch />}
        <LanguageMenu />
        <SchemeMenu />
        <AccountMenu onShortcuts={onShortcuts} />
      </div>
    </div>
  );
}
