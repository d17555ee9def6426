// The entries of the area account in the navigation.
import BadgeCheck from 'lucide-react/icons/badge-check';
import FlagTriangleRight from 'lucide-react/icons/flag-triangle-right';
import Settings from 'lucide-react/icons/settings';
import UsersRound from 'lucide-react/icons/users-round';
import type { NavigationEntry } from '@dashboard/shared/session/navigation.js';

export const ACCOUNT_NAVIGATION: readonly NavigationEntry[] = [
  {
    to: '/going-live',
    name: { en: 'Going live', id: 'Menuju LIVE' },
    icon: FlagTriangleRight,
    permission: 'read_merchant',
    letter: 'e',
  },
  {
    to: '/verification',
    name: { en: 'Verification', id: 'Verifikasi' },
    icon: BadgeCheck,
    permission: 'read_kyc',
    letter: 'v',
  },
  {
    to: '/team',
    name: { en: 'Team', id: 'Tim' },
    icon: UsersRound,
    permission: 'read_users',
    letter: 't',
  },
  {
    to: '/settings',
    name: { en: 'Settings', id: 'Pengaturan' },
    icon: Settings,
    permission: 'read_merchant',
    letter: 's',
  },
];
