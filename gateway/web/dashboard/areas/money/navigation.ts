// The entries of the area money in the navigation.
import ArrowLeftRight from 'lucide-react/icons/arrow-left-right';
import Landmark from 'lucide-react/icons/landmark';
import Undo2 from 'lucide-react/icons/undo-2';
import Wallet from 'lucide-react/icons/wallet';
import type { NavigationEntry } from '@dashboard/shared/session/navigation.js';

export const MONEY_NAVIGATION: readonly NavigationEntry[] = [
  {
    to: '/payments',
    name: { en: 'Payments', id: 'Pembayaran' },
    icon: ArrowLeftRight,
    permission: 'read_payments',
    letter: 'p',
  },
  {
    to: '/refunds',
    name: { en: 'Refunds', id: 'Pengembalian dana' },
    icon: Undo2,
    permission: 'read_payments',
    letter: 'r',
  },
  {
    to: '/balance',
    name: { en: 'Balance', id: 'Saldo' },
    icon: Wallet,
    permission: 'read_payments',
    letter: 'b',
  },
  {
    to: '/payouts',
    name: { en: 'Payouts', id: 'Pencairan' },
    icon: Landmark,
    permission: 'read_payouts',
    letter: 'o',
  },
];
