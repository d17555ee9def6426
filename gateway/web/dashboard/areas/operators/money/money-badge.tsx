// The status of a refund or a payout, as operators see it.
import type { ReactNode } from 'react';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MONEY_TEXTS } from './texts.js';

/** The statuses whose colours they have. */
const SHOWN_AS: Readonly<Record<string, string>> = {
  MANUAL_REQUIRED: 'open',
  REVERSED: 'refunded',
};

export function MoneyBadge({ status }: { readonly status: string }): ReactNode {
  const labels: Readonly<Record<string, string>> = useTexts(MONEY_TEXTS).statuses;
  return <StatusBadge status={SHOWN_AS[status] ?? status} label={labels[status] ?? status} />;
}
