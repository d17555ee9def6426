// The entries of the area selling in the navigation.
import Link from 'lucide-react/icons/link';
import ReceiptText from 'lucide-react/icons/receipt-text';
import type { NavigationEntry } from '@dashboard/shared/session/navigation.js';

export const SELLING_NAVIGATION: readonly NavigationEntry[] = [
  {
    to: '/payment-links',
    name: { en: 'Payment links', id: 'Tautan pembayaran' },
    icon: Link,
    permission: 'read_payment_links',
    letter: 'l',
  },
  {
    to: '/invoices',
    name: { en: 'Invoices', id: 'Tagihan' },
    icon: ReceiptText,
    permission: 'read_invoices',
    letter: 'i',
  },
];
