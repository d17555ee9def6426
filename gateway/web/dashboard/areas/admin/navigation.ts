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

type Entry = readonly [string, string, string, NavigationEntry['icon']];

const ENTRIES: readonly Entry[] = [
  ['/admin/home', 'Home', 'Beranda', House],
  ['/admin/merchants', 'Merchants', 'Merchant', Store],
  ['/admin/tasks', 'Operator tasks', 'Tugas operator', ClipboardList],
  ['/admin/approvals', 'Approvals', 'Persetujuan', CheckCheck],
  ['/admin/transactions', 'Transactions', 'Transaksi', ArrowLeftRight],
  ['/admin/refunds', 'Refunds', 'Refund', Undo2],
  ['/admin/payouts', 'Payouts', 'Pencairan', Banknote],
  ['/admin/suspense', 'Suspense', 'Dana tertahan', CircleHelp],
  ['/admin/reconciliations', 'Reconciliation', 'Rekonsiliasi', Scale],
  ['/admin/rails', 'Rails', 'Rail', Activity],
  ['/admin/switches', 'Kill switches', 'Sakelar darurat', PowerOff],
  ['/admin/audit-log', 'Audit log', 'Log audit', ScrollText],
  ['/admin/administrators', 'Administrators', 'Administrator', ShieldUser],
];

export const ADMIN_NAVIGATION: readonly NavigationEntry[] = ENTRIES.map(([to, en, id, icon]) => ({
  to,
  name: { en, id },
  icon,
  permission: 'administrate',
}));
