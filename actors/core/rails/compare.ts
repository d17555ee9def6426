// Our books of an order against what its rail says of it. Pure. What is compared is money: who says that it came, how
// much, and whether it was taken back. An order that nobody has paid may look different on both sides (closed here, open
// there until it expires), since look-ups follow it.
import type { OrderId } from '../ids.js';
import { type AmountMinor, formatAmount } from '../money.js';
import { findAttempt, type PaymentState, type RailTransaction } from '../payment/state.js';
import { unreachable } from '../unreachable.js';
import type { RailName } from './answers.js';

/** What a rail says of an order. ended: nobody can pay it any more. absent: it knows of no such order. */
export type Seen =
  | {
      readonly standing: 'settled';
      /** null: the rail named none; then the order tells. */
      readonly railTransactionId: string | null;
      readonly amountMinor: AmountMinor;
      readonly currency: string;
    }
  | { readonly standing: 'reversed'; readonly railTransactionId: string | null }
  | { readonly standing: 'open' | 'ended' | 'absent' };

export interface Difference {
  /** missing: we have it, the rail has not. orphan: the other way round. */
  readonly kind: 'missing' | 'orphan' | 'differing';
  readonly field: 'status' | 'amount' | 'currency';
  readonly ours: string;
  readonly theirs: string;
}

export interface OwnOrder {
  readonly state: PaymentState;
  readonly rail: RailName;
  readonly orderId: OrderId;
}

/** null: both say the same. */
export function compareOrder(order: OwnOrder, seen: Seen): Difference | null {
  switch (seen.standing) {
    case 'settled':
      return compareSettled(order, seen);
    case 'reversed': {
      const known = findBooked(order, seen.railTransactionId);
      const isBooked = known?.standing === 'captured' || known?.standing === 'suspended';
      return isBooked ? differing('status', known.standing, 'reversed') : null;
    }
    case 'open':
    case 'ended':
    case 'absent':
      return compareUnpaid(order, seen.standing);
    default:
      return unreachable(seen);
  }
}

function compareSettled(
  order: OwnOrder,
  seen: Extract<Seen, { standing: 'settled' }>,
): Difference | null {
  const known = findBooked(order, seen.railTransactionId);
  if (known === undefined) return differing('status', order.state.status, 'settled');
  // It is booked on another payment, and an operator knows.
  if (known.standing === 'elsewhere') return null;
  if (known.standing === 'reversed') return differing('status', 'reversed', 'settled');
  if (known.currency !== seen.currency) return differing('currency', known.currency, seen.currency);
  const [ours, theirs] = [formatAmount(known.amountMinor), formatAmount(seen.amountMinor)];
  return ours === theirs ? null : differing('amount', ours, theirs);
}

function compareUnpaid(order: OwnOrder, theirs: 'open' | 'ended' | 'absent'): Difference | null {
  const { state, orderId } = order;
  const booked = state.capture?.orderId === orderId ? findBooked(order, null) : undefined;
  if (booked?.standing === 'captured') {
    return { kind: 'missing', field: 'status', ours: 'settled', theirs };
  }
  const isOpen = findAttempt(state, orderId)?.status === 'open';
  if (!isOpen || theirs === 'open') return null;
  return theirs === 'absent'
    ? { kind: 'missing', field: 'status', ours: 'open', theirs }
    : differing('status', 'open', theirs);
}

/** By the rail's transaction; where it named none, what paid the order. */
function findBooked(
  { state, rail, orderId }: OwnOrder,
  railTransactionId: string | null,
): RailTransaction | undefined {
  const paidBy = state.capture?.orderId === orderId ? state.capture.railTransactionId : undefined;
  const id = railTransactionId ?? paidBy;
  return state.railTransactions.find((one) => one.rail === rail && one.id === id);
}

function differing(field: Difference['field'], ours: string, theirs: string): Difference {
  return { kind: 'differing', field, ours, theirs };
}
