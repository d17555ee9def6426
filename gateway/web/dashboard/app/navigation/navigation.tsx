// The navigation: the entries that the role may use, in a group for each area.
import { NavLink, Text } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ACCOUNT_NAVIGATION } from '@dashboard/areas/accounts/navigation.js';
import { ADMIN_NAVIGATION } from '@dashboard/areas/operators/navigation.js';
import { DEVELOPERS_NAVIGATION } from '@dashboard/areas/developers/navigation.js';
import { HOME_NAVIGATION } from '@dashboard/areas/money/home/navigation.js';
import { MONEY_NAVIGATION } from '@dashboard/areas/money/navigation.js';
import { SELLING_NAVIGATION } from '@dashboard/areas/selling/navigation.js';
import { useCan } from '@dashboard/shared/session/session.js';
import type { NavigationEntry } from '@dashboard/shared/session/navigation.js';
import { type Language, useLanguage } from '@dashboard/shared/text/language.js';
import classes from './shell.module.css';

const ICON_SIZE = 18;
interface NavigationGroup {
  /** null: it needs no heading. */
  readonly name: Readonly<Record<Language, string>> | null;
  readonly entries: readonly NavigationEntry[];
}

const GROUPS: readonly NavigationGroup[] = [
  { name: null, entries: HOME_NAVIGATION },
  { name: { en: 'Money', id: 'Keuangan' }, entries: MONEY_NAVIGATION },
  { name: { en: 'Selling', id: 'Penjualan' }, entries: SELLING_NAVIGATION },
  { name: { en: 'Developers', id: 'Pengembang' }, entries: DEVELOPERS_NAVIGATION },
  { name: { en: 'Business', id: 'Usaha' }, entries: ACCOUNT_NAVIGATION },
  { name: null, entries: ADMIN_NAVIGATION },
];

/** The groups with entries that the role of the session may use. */
function useGroups(): readonly NavigationGroup[] {
  const can = useCan();
  return GROUPS.map(({ name, entries }) => ({
    name,
    entries: entries.filter(({ permission }) => can(permission)),
  })).filter(({ entries }) => entries.length > 0);
}

/** The entries that the role of the session may use. */
export function useNavigation(): readonly NavigationEntry[] {
  return useGroups().flatMap(({ entries }) => entries);
}

export function Navigation({ onChosen }: { readonly onChosen: () => void }): ReactNode {
  const { language } = useLanguage();
  return useGroups().map(({ name, entries }) => (
    <div key={entries[0]?.to} role="group" aria-label={name?.[language]}>
      {name !== null && (
        <Text className={classes.group} aria-hidden>
          {name[language]}
        </Text>
      )}
      {entries.map((entry) => (
        <Entry key={entry.to} entry={entry} onChosen={onChosen} />
      ))}
    </div>
  ));
}

interface EntryProps {
  readonly entry: NavigationEntry;
  readonly onChosen: () => void;
}

function Entry({ entry: { to, name, icon: Icon }, onChosen }: EntryProps): ReactNode {
  const { language } = useLanguage();
  const { pathname } = useLocation();
  return (
    <NavLink
      component={Link}
      to={to}
      label={name[language]}
      leftSection={<Icon size={ICON_SIZE} aria-hidden />}
      active={to === '/' ? pathname === '/' : pathname.startsWith(to)}
      py={{ base: 8, sm: 5 }}
      onClick={onChosen}
    />
  );
}
