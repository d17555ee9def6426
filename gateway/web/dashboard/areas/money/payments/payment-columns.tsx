// The columns of payments, on the list and on the home page.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { RowLink } from '@dashboard/shared/lists/row-link.js';
import { buildTimeColumn } from '@dashboard/shared/lists/time-column.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { useMethodName } from '@dashboard/shared/text/method-names.js';
import { MONEY_TEXTS } from '../parts/texts.js';
import { PaymentStatus } from '@dashboard/shared/parts/payment-status.js';

export type Payment = MerchantSchema['Payment'];

export function usePaymentColumns(): readonly Column<Payment>[] {
  const texts = useTexts(MONEY_TEXTS);
  const nameMethod = useMethodName();
  return [
    {
      name: texts.amount,
      isNumber: true,
      onPhone: 'title',
      render: ({ amount, currency }) => <Money minor={amount} currency={currency} />,
    },
    {
      name: texts.status,
      onPhone: 'status',
      render: (payment) => <PaymentStatus payment={payment} />,
    },
    { name: texts.method, render: ({ payment_method: method }) => nameMethod(method) },
    {
      name: texts.customer,
      onPhone: 'detail',
      render: ({ reference_id: reference, ...payment }) => (
        <>
          {payment.customer_name ?? payment.customer_email ?? '—'}
          {reference !== null && (
            <Text span inherit hiddenFrom="sm">
              {` · ${reference}`}
            </Text>
          )}
        </>
      ),
    },
    { name: texts.reference, render: ({ reference_id: reference }) => reference ?? '—' },
    { ...buildTimeColumn<Payment>(texts.created, ({ created_at: at }) => at), onPhone: 'note' },
  ];
}

export const linkPayment = ({ id }: Payment, content: ReactNode): ReactNode => (
  <RowLink to="/payments/$paymentId" params={{ paymentId: id }}>
    {content}
  </RowLink>
);
