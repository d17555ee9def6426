// The frame of the settings: their parts, of which the role sees some.
import { Button, Group } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from '@dashboard/shared/parts/page.js';
import { type Permission, useCan } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SETTINGS_TEXTS } from './texts.js';

const PARTS = [
  { to: '/settings', name: 'brandTab', permission: 'read_merchant' },
  { to: '/settings/notifications', name: 'notificationsTab', permission: 'read_merchant' },
  { to: '/settings/erasures', name: 'erasuresTab', permission: 'erase_customers' },
] as const satisfies readonly {
  to: string;
  name: keyof (typeof SETTINGS_TEXTS)['en'];
  permission: Permission;
}[];

interface SettingsPageProps {
  readonly actions?: ReactNode;
  /** The role needs more than to read the settings. */
  readonly permission?: Permission;
  readonly children: ReactNode;
}

export function SettingsPage({ children, ...page }: SettingsPageProps): ReactNode {
  const texts = useTexts(SETTINGS_TEXTS);
  const can = useCan();
  const { pathname } = useLocation();
  return (
    <Page title={texts.title} {...page}>
      <Group component="nav" gap="xs" aria-label={texts.sections}>
        {PARTS.filter(({ permission }) => can(permission)).map(({ to, name }) => (
          <Button
            key={to}
            component={Link}
            to={to}
            size="xs"
            variant={pathname === to ? 'filled' : 'default'}
            aria-current={pathname === to ? 'page' : undefined}
          >
            {texts[name]}
          </Button>
        ))}
      </Group>
      {children}
    </Page>
  );
}
