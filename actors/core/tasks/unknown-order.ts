// Money that a rail has for an unknown order: its task, and the posting that moves it to the
// platform's suspense account. The money is LIVE, since TEST never talks to a rail.
import type { OrderId } from '../ids.js';
import { formatPlatformSuspense, formatRailAccount } from '../ledger/accounts.js';
import type { Money } from '../ledger/postings.js';
import { formatAmount } from '../money.js';
import type { Settlement } from '../rails/answers.js';
import type { RailName } from '../rails/rail-names.js';
import { deriveTaskId } from './kinds.js';

export interface UnknownOrder {
  /** Always the same for the same transaction of the rail. */
  readonly taskId: string;
  readonly rail: RailName;
  readonly railTransactionId: string;
  /** JSON. */
  readonly details: string;
  readonly posting: Money & { readonly debit: string; readonly credit: string };
}

export interface UnresolvedOrder {
  readonly rail: RailName;
  /** The rail's text, which may be no order id of this system. */
  readonly orderId: string;
  readonly reference: string | null;
  /** As the callback reported them. */
  readonly amount: string | null;
  readonly currency: string | null;
}

export interface UnresolvedOrderTask {
  /** One for each order of a rail. */
  readonly id: string;
  readonly kind: 'unknown_order_unresolved';
  /** JSON of texts. */
  readonly details: string;
}

/** The task for an unknown order about which its rail gives no answer. */
export function describeUnresolvedOrder(order: UnresolvedOrder): UnresolvedOrderTask {
  const { rail, orderId, reference, amount, currency } = order;
  const details = {
    ...{ rail, orderId },
    ...(reference === null ? {} : { railReference: reference }),
    ...(amount === null ? {} : { toldAmount: amount }),
    ...(currency === null ? {} : { toldCurrency: currency }),
  };
  const id = deriveTaskId(`unknown order unresolved:${rail}:${orderId}`);
  return { id, kind: 'unknown_order_unresolved', details: JSON.stringify(details) };
}

/** `orderId` is the rail's text, which may be no order id of this system. */
export function describeUnknownOrder(
  settlement: Omit<Settlement, 'orderId'> & { readonly orderId: OrderId | string },
): UnknownOrder {
  const { rail, railTransactionId, orderId, amountMinor, currency } = settlement;
  const taskId = deriveTaskId(`unknown order:${rail}:${railTransactionId}`);
  const amount = formatAmount(amountMinor);
  const details = JSON.stringify({ rail, railTransactionId, orderId, amount, currency });
  const debit = formatRailAccount('rail_clearing', rail, 'LIVE', currency);
  const credit = formatPlatformSuspense('LIVE', currency);
  return {
    taskId,
    rail,
    railTransactionId,
    details,
    posting: { debit, credit, amountMinor, currency },
  };
}
