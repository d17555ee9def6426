// The columns of the statement.
import type { ReactNode } from 'react';
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { RowLink } from '@dashboard/shared/lists/row-link.js';
import { buildTimeColumn } from '@dashboard/shared/lists/time-column.js';
import type { MoneyTexts } from '../parts/texts.js';

type Movement = MerchantSchema['BalanceMovement'];

/** A reason that a later version of the service gives is shown as it is. */
const describeReason = (reason: string, texts: MoneyTexts): string =>
  (texts.movements as Readonly<Record<string, string>>)[reason] ?? reason;

export function listMovementColumns(texts: MoneyTexts): readonly Column<Movement>[] {
  return [
    { name: texts.movement, render: ({ reason }) => describeReason(reason, texts) },
    { name: texts.part, render: ({ account }) => texts.parts[account] },
    {
      name: texts.amount,
      isNumber: true,
      render: ({ amount, currency }) => <Money minor={amount} currency={currency} />,
    },
    buildTimeColumn(texts.time, ({ at }) => at),
  ];
}

/** Leads to the payment, which shows its refunds, or to the payout if the role may see payouts. */
export function linkCause(
  { cause_type: type, cause_id: id }: Movement,
  content: ReactNode,
  canReadPayouts: boolean,
): ReactNode {
  if (type === 'payment') {
    return (
      <RowLink to="/payments/$paymentId" params={{ paymentId: id }}>
        {content}
      </RowLink>
    );
  }
  if (type === 'payout' && canReadPayouts) {
    return (
      <RowLink to="/payouts/$payoutId" params={{ payoutId: id }}>
        {content}
      </RowLink>
    );
  }
  return content;
}
