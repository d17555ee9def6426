// The refunds of a payment compared with what its rail gave back. A rail also gives money back without
// being asked by us, by a refund in its dashboard or after a dispute: then only it has the refund.
import { parseRefundId, type RefundId } from '../ids.js';
import { formatAmount } from '../money.js';
import {
  computeRefundableMinor,
  findRefund,
  isRefundOpen,
  type PaymentState,
  type Refund,
} from '../payment/state.js';
import type { GivenBack } from '../rails/answers.js';
import type { Booking, Difference } from './rail-differences.js';
import type { OrderRecord } from './reconciliation.js';

export interface RefundDifference extends Difference {
  /** null: only the rail has it. */
  readonly refundId: RefundId | null;
  /** Nothing but a person can settle it. */
  readonly needsPerson: boolean;
  /** Its status inquiry finds out what the rail says. */
  readonly isInquired: boolean;
}

/** Compares everything that the rail gave back of the order with our refunds of it. */
export function compareRefunds(
  order: OrderRecord,
  givenBack: readonly GivenBack[],
): readonly RefundDifference[] {
  const { state, orderId } = order;
  const matched = givenBack.map((entry) => findOwnRefund(state, entry));
  const expected = state.capture?.orderId === orderId ? state.refunds.filter(isMadeByRail) : [];
  const missing = expected.filter((refund) => !matched.includes(refund));
  return [
    ...compareGivenBack(state, givenBack),
    ...missing.map((refund) => describeMissing(state, refund)),
  ];
}

/** Compares single entries: refunds that they leave out are no difference. */
export function compareGivenBack(
  state: PaymentState,
  givenBack: readonly GivenBack[],
): readonly RefundDifference[] {
  return givenBack.flatMap((entry) => compareEntry(state, entry) ?? []);
}

/** The rail has money that left for it. Refunds that were paid by hand never reached the rail. */
export function isMadeByRail({ status, origin, isPaidByHand }: Refund): boolean {
  // Lists of refunds leave chargebacks out.
  return status === 'succeeded' && !isPaidByHand && origin !== 'chargeback';
}

/** A recorded refund is found by the rail's id, the others by the key that we gave to the rail. */
function findOwnRefund(
  state: PaymentState,
  { railRefundId, refundKey }: GivenBack,
): Refund | undefined {
  const recorded = state.refunds.find((one) => one.externalReference === railRefundId);
  const key = parseKey(refundKey);
  return recorded ?? (key === undefined ? undefined : findRefund(state, key));
}

/** The rail made it because we asked. */
export const isUnderOurKey = ({ refundKey }: GivenBack): boolean =>
  parseKey(refundKey) !== undefined;

const parseKey = (key: string | null): RefundId | undefined =>
  key === null ? undefined : parseRefundId(key);

function compareEntry(state: PaymentState, entry: GivenBack): RefundDifference | null {
  const refund = findOwnRefund(state, entry);
  if (refund === undefined) return describeUnasked(state, entry);
  const [ours, theirs] = [refund, entry].map((one) => formatMoney(state, one));
  if (ours !== theirs) return differ(refund, { ours: String(ours), theirs: String(theirs) });
  if (isRefundOpen(refund)) {
    return { ...differ(refund, { ours: refund.status, theirs: 'made' }), needsPerson: false };
  }
  if (refund.status === 'failed') {
    // A contradicted refund has a task of its own, or an administrator has decided.
    return refund.isContradicted ? null : differ(refund, { ours: 'failed', theirs: 'made' });
  }
  const isPaidTwice = refund.isPaidByHand && refund.externalReference !== entry.railRefundId;
  if (!isPaidTwice) return null;
  return {
    ...differ(refund, { ours: 'paid by hand', theirs: 'made' }),
    booking: bookEntry(state, entry),
    isInquired: false,
  };
}

function differ(
  { id }: Refund,
  { ours, theirs }: Pick<Difference, 'ours' | 'theirs'>,
): RefundDifference {
  return {
    kind: 'differing',
    field: 'refund',
    ours,
    theirs,
    subject: id,
    refundId: id,
    needsPerson: true,
    isInquired: true,
    booking: null,
  };
}

/**
 * Under a key of ours it is no refund of the dashboard: it may be younger than the state that it is compared with, or the
 * state may come from a backup. Booked as the rail's own, it would count twice.
 */
function describeUnasked(state: PaymentState, entry: GivenBack): RefundDifference {
  return {
    kind: 'orphan',
    field: 'refund',
    ours: 'absent',
    theirs: `${entry.kind} ${formatMoney(state, entry)}`,
    subject: entry.railRefundId,
    refundId: null,
    needsPerson: true,
    isInquired: false,
    booking: isUnderOurKey(entry) ? null : bookEntry(state, entry),
  };
}

/** null: the payment has not so much left, so that its actor would refuse the record. */
function bookEntry(
  state: PaymentState,
  { kind, railRefundId, amountMinor }: GivenBack,
): Booking | null {
  if (amountMinor > computeRefundableMinor(state)) return null;
  const { currency } = state.request;
  return { kind, railTransactionId: railRefundId, amountMinor, currency };
}

function describeMissing(state: PaymentState, refund: Refund): RefundDifference {
  const ours = `succeeded ${formatMoney(state, refund)}`;
  return { ...differ(refund, { ours, theirs: 'absent' }), kind: 'missing', isInquired: false };
}

/** A rail refunds in the currency of the payment. */
function formatMoney(
  { request }: PaymentState,
  { amountMinor }: Pick<GivenBack, 'amountMinor'>,
): string {
  return `${formatAmount(amountMinor)} ${request.currency}`;
}
