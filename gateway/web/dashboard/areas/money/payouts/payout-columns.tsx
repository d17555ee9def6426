// The columns of payouts.
import type { ReactNode } from 'react';
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { RowLink } from '@dashboard/shared/lists/row-link.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { buildTimeColumn } from '@dashboard/shared/lists/time-column.js';
import type { MoneyTexts } from '../parts/texts.js';

export type Payout = MerchantSchema['Payout'];

interface PayoutStatusProps {
  readonly status: Payout['status'];
  readonly texts: MoneyTexts;
}

export function PayoutStatus({ status, texts }: PayoutStatusProps): ReactNode {
  if (status === 'MANUAL_REQUIRED') {
    return <StatusBadge status={status} label={texts.payoutStatus[status]} tone="waiting" />;
  }
  if (status === 'REVERSED') {
    return <StatusBadge status={status} label={texts.payoutStatus[status]} tone="bad" />;
  }
  return <StatusBadge status={status} />;
}

export function listPayoutColumns(texts: MoneyTexts): readonly Column<Payout>[] {
  return [
    {
      name: texts.amount,
      isNumber: true,
      render: ({ amount, currency }) => <Money minor={amount} currency={currency} />,
    },
    { name: texts.status, render: ({ status }) => <PayoutStatus status={status} texts={texts} /> },
    { name: texts.bank, render: ({ bank_code: bank }) => bank },
    { name: texts.account, render: ({ account_number: account }) => account },
    { name: texts.holder, render: ({ account_holder: holder }) => holder },
    buildTimeColumn(texts.created, ({ created_at: at }) => at),
  ];
}

export const linkPayout = ({ id }: Payout, content: ReactNode): ReactNode => (
  <RowLink to="/payouts/$payoutId" params={{ payoutId: id }}>
    {content}
  </RowLink>
);
