// The entry of the home page in the navigation.
import House from 'lucide-react/icons/house';
import type { NavigationEntry } from '@dashboard/shared/session/navigation.js';

export const HOME_NAVIGATION: readonly NavigationEntry[] = [
  {
    to: '/',
    name: { en: 'Home', id: 'Beranda' },
    icon: House,
    permission: 'read_payments',
    letter: 'h',
  },
];
