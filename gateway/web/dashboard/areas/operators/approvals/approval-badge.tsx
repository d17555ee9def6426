// The status of an approval.
import type { ReactNode } from 'react';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { APPROVAL_TEXTS } from './texts.js';

/** The statuses whose colours they have. */
const SHOWN_AS: Readonly<Record<string, string>> = {
  proposed: 'pending',
  approved: 'processing',
  applied: 'completed',
  refused: 'failed',
  rejected: 'void',
};

export function ApprovalBadge({ status }: { readonly status: string }): ReactNode {
  const labels: Readonly<Record<string, string>> = useTexts(APPROVAL_TEXTS).statuses;
  return <StatusBadge status={SHOWN_AS[status] ?? status} label={labels[status] ?? status} />;
}
