// Reconciliation: our record of an order compared with the rail's, for one day of the rail. It compares money: whether
// it came, how much, and whether it was taken back. An unpaid order may differ (closed here, open there until it
// expires), since status inquiries follow it.
import type { OrderId } from '../ids.js';
import { type AmountMinor, formatAmount } from '../money.js';
import { findAttempt, type PaymentState, type RailTransaction } from '../payment/state.js';
import type { RailName } from '../rails/answers.js';
import { unreachable } from '../unreachable.js';

const JAKARTA = '+07:00';
const JAKARTA_MS = 7 * 3_600_000;
const DAY_MS = 24 * 3_600_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The day that rails close their books by: Jakarta's, which has no daylight saving time. */
export interface RailDay {
  /** `2026-08-02` */
  readonly day: string;
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

/** undefined: there is no such day. */
export function parseRailDay(text: string): RailDay | undefined {
  const fromMs = DAY.test(text) ? Date.parse(`${text}T00:00:00${JAKARTA}`) : Number.NaN;
  if (Number.isNaN(fromMs) || dayAt(fromMs) !== text) return undefined;
  return { day: text, fromMs, toMs: fromMs + DAY_MS };
}

/** The last day that was over at that time. */
export function findLastRailDay(nowMs: number): string {
  return dayAt(nowMs - DAY_MS);
}

function dayAt(ms: number): string {
  return new Date(ms + JAKARTA_MS).toISOString().slice(0, 10);
}

/** The rail's record of an order. ended: nobody can pay it any more. absent: the rail does not know it. */
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

export interface Difference {
  /** missing: only we have it. orphan: only the rail has it. */
  readonly kind: 'missing' | 'orphan' | 'differing';
  readonly field: 'status' | 'amount' | 'currency';
  readonly ours: string;
  readonly theirs: string;
}

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
      return isBooked ? differ('status', known.state, 'reversed') : null;
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
  if (known === undefined) return differ('status', order.state.status, 'settled');
  // It is booked on another payment, and an operator has a task for it.
  if (known.state === 'elsewhere') return null;
  if (known.state === 'reversed') return differ('status', 'reversed', 'settled');
  if (known.currency !== record.currency)
    return differ('currency', known.currency, record.currency);
  const [ours, theirs] = [formatAmount(known.amountMinor), formatAmount(record.amountMinor)];
  return ours === theirs ? null : differ('amount', ours, theirs);
}

function compareUnpaid(order: OrderRecord, theirs: 'open' | 'ended' | 'absent'): Difference | null {
  const { state, orderId } = order;
  const booked = state.capture?.orderId === orderId ? findBooked(order, null) : undefined;
  if (booked?.state === 'captured') {
    return { kind: 'missing', field: 'status', ours: 'settled', theirs };
  }
  const isOpen = findAttempt(state, orderId)?.status === 'open';
  if (!isOpen || theirs === 'open') return null;
  return theirs === 'absent'
    ? { kind: 'missing', field: 'status', ours: 'open', theirs }
    : differ('status', 'open', theirs);
}

/** Finds by the rail's transaction, or by the transaction that paid the order when the rail named none. */
function findBooked(
  { state, rail, orderId }: OrderRecord,
  railTransactionId: string | null,
): RailTransaction | undefined {
  const paidBy = state.capture?.orderId === orderId ? state.capture.railTransactionId : undefined;
  const id = railTransactionId ?? paidBy;
  return state.railTransactions.find((one) => one.rail === rail && one.id === id);
}

function differ(field: Difference['field'], ours: string, theirs: string): Difference {
  return { kind: 'differing', field, ours, theirs };
}
