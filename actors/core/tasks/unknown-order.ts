// Money that a rail has for an order that nobody knows: its task and the posting that puts it into the
// platform's suspense. TEST never talks to a rail, so it is LIVE money.
import type { OrderId } from '../ids.js';
import { type Money, platformSuspense, railAccount } from '../ledger.js';
import { formatAmount } from '../money.js';
import type { RailName, Settlement } from '../rails/answers.js';
import { taskIdOf } from './task-id.js';

export interface UnknownOrder {
  /** The same for the same transaction of the rail, for ever. */
  readonly taskId: string;
  readonly rail: RailName;
  readonly railTransactionId: string;
  /** JSON. */
  readonly details: string;
  readonly posting: Money & { readonly debit: string; readonly credit: string };
}

/** `orderId`: as the rail wrote it; it need not be one of ours. */
export function describeUnknownOrder(
  settlement: Omit<Settlement, 'orderId'> & { readonly orderId: OrderId | string },
): UnknownOrder {
  const { rail, railTransactionId, orderId, amountMinor, currency } = settlement;
  const taskId = taskIdOf(`unknown order:${rail}:${railTransactionId}`);
  const amount = formatAmount(amountMinor);
  const details = JSON.stringify({ rail, railTransactionId, orderId, amount, currency });
  const debit = railAccount('rail_clearing', rail, 'LIVE', currency);
  const credit = platformSuspense('LIVE', currency);
  return {
    taskId,
    rail,
    railTransactionId,
    details,
    posting: { debit, credit, amountMinor, currency },
  };
}
