// The columns of payments, on the list and on the home page.
import type { ReactNode } from 'react';
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import type { Column } from '@dashboard/shared/parts/list-table.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { RowLink } from '@dashboard/shared/parts/row-link.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import type { MoneyTexts } from '../texts.js';

export type Payment = MerchantSchema['Payment'];

export function listPaymentColumns(texts: MoneyTexts): readonly Column<Payment>[] {
  return [
    {
      name: texts.amount,
      render: ({ amount, currency }) => <Money minor={amount} currency={currency} />,
    },
    { name: texts.status, render: ({ status }) => <StatusBadge status={status} /> },
    { name: texts.method, render: ({ payment_method: method }) => method ?? '—' },
    {
      name: texts.customer,
      render: (payment) => payment.customer_name ?? payment.customer_email ?? '—',
    },
    { name: texts.reference, render: ({ reference_id: reference }) => reference ?? '—' },
    { name: texts.created, render: ({ created_at: at }) => <When at={at} /> },
  ];
}

export const linkPayment = ({ id }: Payment, content: ReactNode): ReactNode => (
  <RowLink to="/payments/$paymentId" params={{ paymentId: id }}>
    {content}
  </RowLink>
);
