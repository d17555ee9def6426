// The navigation: the entries of all areas that the role may use.
import { NavLink } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ACCOUNT_NAVIGATION } from '@dashboard/areas/account/navigation.js';
import { ADMIN_NAVIGATION } from '@dashboard/areas/admin/navigation.js';
import { DEVELOPERS_NAVIGATION } from '@dashboard/areas/developers/navigation.js';
import { HOME_NAVIGATION } from '@dashboard/areas/home/navigation.js';
import { MONEY_NAVIGATION } from '@dashboard/areas/money/navigation.js';
import { SELLING_NAVIGATION } from '@dashboard/areas/selling/navigation.js';
import { useCan } from '@dashboard/shared/session/session.js';
import type { NavigationEntry } from '@dashboard/shared/session/navigation.js';
import { useLanguage } from '@dashboard/shared/text/language.js';

const ICON_SIZE = 18;
const ENTRIES: readonly NavigationEntry[] = [
  ...HOME_NAVIGATION,
  ...MONEY_NAVIGATION,
  ...SELLING_NAVIGATION,
  ...DEVELOPERS_NAVIGATION,
  ...ACCOUNT_NAVIGATION,
  ...ADMIN_NAVIGATION,
];

/** The entries that the role of the session may use. */
export function useNavigation(): readonly NavigationEntry[] {
  const can = useCan();
  return ENTRIES.filter(({ permission }) => can(permission));
}

export function Navigation({ onChosen }: { readonly onChosen: () => void }): ReactNode {
  const { language } = useLanguage();
  const { pathname } = useLocation();
  return useNavigation().map(({ to, name, icon: Icon }) => (
    <NavLink
      key={to}
      component={Link}
      to={to}
      label={name[language]}
      leftSection={<Icon size={ICON_SIZE} aria-hidden />}
      active={to === '/' ? pathname === '/' : pathname.startsWith(to)}
      onClick={onChosen}
    />
  ));
}
