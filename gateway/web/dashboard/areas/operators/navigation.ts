// The entries of administrators in the navigation.
import Activity from 'lucide-react/icons/activity';
import ArrowLeftRight from 'lucide-react/icons/arrow-left-right';
import Banknote from 'lucide-react/icons/banknote';
import CheckCheck from 'lucide-react/icons/check-check';
import CircleHelp from 'lucide-react/icons/circle-help';
import ClipboardList from 'lucide-react/icons/clipboard-list';
import House from 'lucide-react/icons/house';
import PowerOff from 'lucide-react/icons/power-off';
import Scale from 'lucide-react/icons/scale';
import ScrollText from 'lucide-react/icons/scroll-text';
import ShieldUser from 'lucide-react/icons/shield-user';
import Store from 'lucide-react/icons/store';
import Undo2 from 'lucide-react/icons/undo-2';
import type { NavigationEntry } from '@dashboard/shared/session/navigation.js';

type Entry = readonly [string, string, string, string, NavigationEntry['icon']];

const ENTRIES: readonly Entry[] = [
  ['/admin/home', 'h', 'Home', 'Beranda', House],
  ['/admin/merchants', 'm', 'Merchants', 'Merchant', Store],
  ['/admin/tasks', 't', 'Operator tasks', 'Tugas operator', ClipboardList],
  ['/admin/approvals', 'a', 'Approvals', 'Persetujuan', CheckCheck],
  ['/admin/transactions', 'p', 'Transactions', 'Transaksi', ArrowLeftRight],
  ['/admin/refunds', 'r', 'Refunds', 'Pengembalian dana', Undo2],
  ['/admin/payouts', 'o', 'Payouts', 'Pencairan', Banknote],
  ['/admin/suspense', 's', 'Suspense', 'Dana tertahan', CircleHelp],
  ['/admin/reconciliations', 'c', 'Reconciliation', 'Rekonsiliasi', Scale],
  ['/admin/rails', 'l', 'Rails', 'Rail', Activity],
  ['/admin/switches', 'k', 'Kill switches', 'Sakelar darurat', PowerOff],
  ['/admin/audit-log', 'u', 'Audit log', 'Log audit', ScrollText],
  ['/admin/administrators', 'd', 'Administrators', 'Administrator', ShieldUser],
];

export const ADMIN_NAVIGATION: readonly NavigationEntry[] = ENTRIES.map(
  ([to, letter, en, id, icon]) => ({
    to,
    letter,
    name: { en, id },
    icon,
    permission: 'read_administration',
  }),
);
