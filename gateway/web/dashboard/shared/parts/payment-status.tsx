// The status of a payment with its marks: partly refunded, paid late, charged back.
import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AdministratorSchema, MerchantSchema } from '../api/client.js';
import { StatusBadge } from './status-badge.js';

type Payment = MerchantSchema['Payment'] | AdministratorSchema['Transaction'];

const TONES = { partly_refunded: 'returned', late: 'waiting', charged_back: 'bad' } as const;
export const MARKS = ['partly_refunded', 'late', 'charged_back'] as const;
export type Mark = (typeof MARKS)[number];

/** A part that the bank took back is no refund of the merchant. */
function listMarks(payment: Payment): readonly Mark[] {
  const { status, refunded_amount: refunded, charged_back_amount: chargedBack } = payment;
  const isPart = status === 'paid' && refunded !== '0' && refunded !== chargedBack;
  return [
    ...(isPart ? (['partly_refunded'] as const) : []),
    ...(payment.late ? (['late'] as const) : []),
    ...(chargedBack === undefined ? [] : (['charged_back'] as const)),
  ];
}

/** A payment whose whole money the bank took back was not refunded by anybody. */
export function PaymentStatus({ payment }: { readonly payment: Payment }): ReactNode {
  const marks = listMarks(payment);
  const isTaken =
    payment.status === 'refunded' && payment.charged_back_amount === payment.refunded_amount;
  if (marks.length === 0) return <StatusBadge status={payment.status} />;
  return (
    <Group gap={6} component="span">
      {!isTaken && <StatusBadge status={payment.status} />}
      {marks.map((mark) => (
        <StatusBadge key={mark} status={mark} tone={TONES[mark]} />
      ))}
    </Group>
  );
}
