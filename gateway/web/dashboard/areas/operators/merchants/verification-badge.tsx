// The verification status of a merchant.
import type { ReactNode } from 'react';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MERCHANT_TEXTS } from './texts.js';

export function VerificationBadge({ status }: { readonly status: string }): ReactNode {
  const { statuses } = useTexts(MERCHANT_TEXTS);
  const labels: Readonly<Record<string, string>> = statuses;
  return <StatusBadge status={status} label={labels[status] ?? status} />;
}
