// Reconciliation: our record of an order compared with the rail's, for one day of the rail. It
// compares money: whether it came, how much, and whether it was taken back. An unpaid order may
// differ (closed here, open there until it expires), since status inquiries follow it.
// reconciled-refunds.ts and reconciled-payouts.ts compare the money that left.
import type { OrderId } from '../ids.js';
import { type AmountMinor, formatAmount } from '../money.js';
import { findAttempt, type PaymentState, type RailTransaction } from '../payment/state.js';
import type { RailName } from '../rails/rail-names.js';
import { unreachable } from '../unreachable.js';
import type { Booking, Difference } from './rail-differences.js';

/**
 * The rail's record of an order. ended: nobody can pay it any more. absent: the rail does not know
 * it.
 */
export type RailRecord =
  | {
      readonly state: 'settled';
      /** null: the rail named none; then the order identifies it. */
      readonly railTransactionId: string | null;
      readonly amountMinor: AmountMinor;
      readonly currency: string;
    }
  | { readonly state: 'reversed'; readonly railTransactionId: string | null }
  | { readonly state: 'open' | 'ended' | 'absent' };

export interface OrderRecord {
  readonly state: PaymentState;
  readonly rail: RailName;
  readonly orderId: OrderId;
}

/** null: both records agree. */
export function compareOrder(order: OrderRecord, record: RailRecord): Difference | null {
  switch (record.state) {
    case 'settled':
      return compareSettled(order, record);
    case 'reversed': {
      const known = findBooked(order, record.railTransactionId);
      const isBooked = known?.state === 'captured' || known?.state === 'suspended';
      if (!isBooked) return null;
      const booking = bookTransaction('reversal', known);
      return { ...differ('status', known.state, 'reversed'), subject: known.id, booking };
    }
    case 'open':
    case 'ended':
    case 'absent':
      return compareUnpaid(order, record.state);
    default:
      return unreachable(record);
  }
}

function compareSettled(
  order: OrderRecord,
  record: Extract<RailRecord, { state: 'settled' }>,
): Difference | null {
  const known = findBooked(order, record.railTransactionId);
  if (known === undefined) return differUnbooked(order, record);
  // It is booked on another payment, and an operator has a task for it.
  if (known.state === 'elsewhere') return null;
  if (known.state === 'reversed') return differ('status', 'reversed', 'settled');
  if (known.currency !== record.currency)
    return differ('currency', known.currency, record.currency);
  const [ours, theirs] = [formatAmount(known.amountMinor), formatAmount(record.amountMinor)];
  return ours === theirs ? null : differ('amount', ours, theirs);
}

/** A second payment of the order too: each has a transaction of its own. */
function differUnbooked(
  { state }: OrderRecord,
  record: Extract<RailRecord, { state: 'settled' }>,
): Difference {
  const difference = differ('status', state.status, 'settled');
  const { railTransactionId: id, amountMinor, currency } = record;
  if (id === null) return difference;
  const booking = bookTransaction('settlement', { id, amountMinor, currency });
  return { ...difference, subject: id, booking };
}

function bookTransaction(
  kind: 'settlement' | 'reversal',
  { id, amountMinor, currency }: Pick<RailTransaction, 'id' | 'amountMinor' | 'currency'>,
): Booking {
  return { kind, railTransactionId: id, amountMinor, currency };
}

function compareUnpaid(order: OrderRecord, theirs: 'open' | 'ended' | 'absent'): Difference | null {
  const { state, orderId } = order;
  const booked = state.capture?.orderId === orderId ? findBooked(order, null) : undefined;
  if (booked?.state === 'captured') {
    const booking = bookTransaction('reversal', booked);
    return { ...differ('status', 'settled', theirs), kind: 'missing', booking };
  }
  const isOpen = findAttempt(state, orderId)?.status === 'open';
  if (!isOpen || theirs === 'open') return null;
  return theirs === 'absent'
    ? { ...differ('status', 'open', theirs), kind: 'missing' }
    : differ('status', 'open', theirs);
}

/**
 * Finds by the rail's transaction, or by the transaction that paid the order when the rail named
 * none.
 */
function findBooked(
  { state, rail, orderId }: OrderRecord,
  railTransactionId: string | null,
): RailTransaction | undefined {
  const paidBy = state.capture?.orderId === orderId ? state.capture.railTransactionId : undefined;
  const id = railTransactionId ?? paidBy;
  return state.railTransactions.find((one) => one.rail === rail && one.id === id);
}

function differ(field: Difference['field'], ours: string, theirs: string): Difference {
  return { kind: 'differing', field, ours, theirs, subject: '', booking: null };
}
