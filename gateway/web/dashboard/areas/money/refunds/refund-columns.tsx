// The columns of refunds, on their list and on their payment.
import type { ReactNode } from 'react';
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { RowLink } from '@dashboard/shared/lists/row-link.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { buildTimeColumn } from '@dashboard/shared/lists/time-column.js';
import type { MoneyTexts } from '../parts/texts.js';

export type Refund = MerchantSchema['Refund'];

export function RefundStatus({
  status,
  texts,
}: {
  readonly status: Refund['status'];
  readonly texts: MoneyTexts;
}): ReactNode {
  return status === 'MANUAL_REQUIRED' ? (
    <StatusBadge status={status} label={texts.refundStatus.MANUAL_REQUIRED} tone="waiting" />
  ) : (
    <StatusBadge status={status} />
  );
}

export function listRefundColumns(texts: MoneyTexts): readonly Column<Refund>[] {
  return [
    {
      name: texts.amount,
      isNumber: true,
      render: ({ amount, currency }) => <Money minor={amount} currency={currency} />,
    },
    { name: texts.status, render: ({ status }) => <RefundStatus status={status} texts={texts} /> },
    { name: texts.reason, render: ({ reason }) => reason ?? '—' },
    { name: texts.origin, render: ({ origin }) => texts.origins[origin] },
    buildTimeColumn(texts.created, ({ created_at: at }) => at),
  ];
}

export const linkRefund = ({ id }: Refund, content: ReactNode): ReactNode => (
  <RowLink to="/refunds/$refundId" params={{ refundId: id }}>
    {content}
  </RowLink>
);
