// The menus of the header: language, colours, account.
import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { Link, useNavigate } from '@tanstack/react-router';
import Languages from 'lucide-react/icons/languages';
import SunMoon from 'lucide-react/icons/sun-moon';
import UserRound from 'lucide-react/icons/user-round';
import type { ReactNode } from 'react';
import { reportFault } from '@dashboard/shared/faults/report.js';
import { describeFailure } from '@dashboard/shared/parts/api-error-view.js';
import { forgetSession, signOut, useSession } from '@dashboard/shared/session/session.js';
import { LANGUAGES, useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { SHELL_TEXTS } from './navigation/texts.js';
import { loadToastList } from './toasts.js';

const SCHEMES = ['light', 'dark', 'auto'] as const;
const ICON_SIZE = 18;

interface IconMenuProps {
  readonly label: string;
  readonly icon: ReactNode;
  readonly onOpen?: () => void;
  readonly children: ReactNode;
}

/** Drawn inside the header, so that screen readers find an open menu in a landmark. */
function IconMenu({ label, icon, onOpen = () => undefined, children }: IconMenuProps): ReactNode {
  return (
    <Menu position="bottom-end" withinPortal={false} onOpen={onOpen}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label}>
          {icon}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

export function LanguageMenu(): ReactNode {
  const texts = useTexts(SHELL_TEXTS);
  const { language, choose } = useLanguage();
  return (
    <IconMenu label={texts.language} icon={<Languages size={ICON_SIZE} />}>
      {LANGUAGES.map((each) => (
        <Menu.Item
          key={each}
          lang={each}
          fw={each === language ? 650 : 400}
          onClick={() => {
            choose(each);
          }}
        >
          {texts.languages[each]}
        </Menu.Item>
      ))}
    </IconMenu>
  );
}

export function SchemeMenu(): ReactNode {
  const texts = useTexts(SHELL_TEXTS);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <IconMenu label={texts.scheme} icon={<SunMoon size={ICON_SIZE} />}>
      {SCHEMES.map((each) => (
        <Menu.Item
          key={each}
          fw={each === colorScheme ? 650 : 400}
          onClick={() => {
            setColorScheme(each);
          }}
        >
          {texts.schemes[each]}
        </Menu.Item>
      ))}
    </IconMenu>
  );
}

interface AccountMenuProps {
  readonly onShortcuts: () => void;
}

export function AccountMenu({ onShortcuts }: AccountMenuProps): ReactNode {
  const texts = useTexts(SHELL_TEXTS);
  const { user } = useSession();
  const navigate = useNavigate();
  const { language } = useLanguage();
  const tellFailure = (error: unknown): void => {
    const { text: message } = describeFailure(error, language, SHARED_TEXTS[language]);
    reportFault(error);
    notifications.show({ color: 'red', title: texts.signOutFailed, message });
  };
  const leave = async (): Promise<void> => {
    await signOut();
    await navigate({ to: '/sign-in' });
    forgetSession();
  };
  return (
    <IconMenu
      label={texts.account}
      icon={<UserRound size={ICON_SIZE} />}
      onOpen={() => void loadToastList().catch(() => null)}
    >
      <Menu.Label>{user.email}</Menu.Label>
      <Menu.Item component={Link} to="/account">
        {texts.ownAccount}
      </Menu.Item>
      <Menu.Item onClick={onShortcuts}>{texts.shortcuts}</Menu.Item>
      <Menu.Item onClick={() => void leave().catch(tellFailure)}>{texts.signOut}</Menu.Item>
    </IconMenu>
  );
}
