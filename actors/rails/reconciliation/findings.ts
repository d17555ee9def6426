// The findings of a reconciliation: counts, differences with their operator tasks, unknown orders (orphans), and status
// inquiries that become due. Pure.
import { formatAmount } from '#actors/core/money.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import { REPORTED_STATES } from '#actors/core/statuses.js';
import { describeDifference, type Difference } from '#actors/core/tasks/rail-differences.js';
import type { PayoutDifference } from '#actors/core/tasks/reconciled-payouts.js';
import type { RefundDifference } from '#actors/core/tasks/reconciled-refunds.js';
import type {
  FoundDifference,
  RailDayKey,
  ReconciledPage,
} from '#store/postgres/rails/reconciliations.js';
import type { ListedPayment, ListedPayout, ListedRefund } from '../adapters/rail.js';

export type Findings = Omit<ReconciledPage, 'key' | 'next'>;

export const NOTHING: Findings = {
  matched: 0,
  unanswered: 0,
  sightings: [],
  differences: [],
  orphans: [],
  inquiries: [],
};
export const MATCHED: Findings = { ...NOTHING, matched: 1 };
export const UNANSWERED: Findings = { ...NOTHING, unanswered: 1 };

interface ComparedOrder {
  readonly state: PaymentState;
  readonly orderId: string;
}

/** `reference`: the rail's own id of the order, if it named one. */
export function buildOrderFindings(
  key: RailDayKey,
  { state, orderId }: ComparedOrder,
  difference: Difference | null,
  reference: string | null,
): Findings {
  if (difference === null) return MATCHED;
  const task = describeDifference({ ...key, orderId }, difference);
  // The task of a reversal does not wait for an inquiry: the status of some rails never shows one.
  const report =
    REPORTED_STATES.find((name) => name === difference.theirs && name !== 'reversed') ?? null;
  const isInquired = difference.field === 'status';
  return {
    ...NOTHING,
    differences: [{ ...store(difference), orderId, paymentId: state.id, task }],
    inquiries: isInquired ? [{ kind: 'order', id: orderId, reference, report }] : [],
  };
}

export function buildRefundFindings(
  key: RailDayKey,
  { state, orderId }: ComparedOrder,
  differences: readonly RefundDifference[],
): Findings {
  return {
    ...NOTHING,
    differences: differences.map((difference) => {
      const { refundId, needsPerson } = difference;
      const names: Record<string, string> = refundId === null ? {} : { refundId };
      const task = describeDifference({ ...key, orderId }, difference, names);
      const about = { orderId, paymentId: state.id, task: needsPerson ? task : null };
      return { ...store(difference), ...about };
    }),
    inquiries: differences.flatMap(({ refundId, isInquired }) =>
      refundId === null || !isInquired
        ? []
        : [{ kind: 'refund', id: refundId, reference: null, report: 'ended' }],
    ),
  };
}

export function buildPayoutFindings(
  key: RailDayKey,
  { id }: PayoutState,
  found: PayoutDifference | null,
): Findings {
  if (found === null) return MATCHED;
  const { difference, needsPerson } = found;
  const task = describeDifference({ ...key, orderId: id }, difference, { payoutId: id });
  const about = { orderId: id, paymentId: null, payoutId: id, task: needsPerson ? task : null };
  return {
    ...NOTHING,
    differences: [{ ...store(difference), ...about }],
    inquiries: [{ kind: 'payout', id, reference: null, report: null }],
  };
}

/** A reversed payment counts as matched: no money is left at the rail. */
export function buildOrphanFindings(listed: ListedPayment): Findings {
  const { orderId, railReference: reference, otherId, amountMinor, currency } = listed;
  if (listed.state === 'reversed') return MATCHED;
  const amount = formatAmount(amountMinor);
  const subject = listed.railTransactionId ?? otherId ?? '';
  const difference = describeOrphan('status', `settled ${amount} ${currency}`, subject);
  // Its money is booked with a task, after an inquiry or at once.
  const found = { ...store(difference), orderId, paymentId: null, task: null };
  return {
    ...NOTHING,
    differences: [found],
    orphans: reference === null ? [] : [{ orderId, reference, amount, currency }],
  };
}

/** A refund of a payment that is not ours, or whose payment the rail does not name. */
export function buildRefundOrphanFindings(key: RailDayKey, listed: ListedRefund): Findings {
  const { givenBack, currency } = listed;
  const { kind, amountMinor, railRefundId, refundKey } = givenBack;
  const orderId = listed.orderId ?? refundKey ?? railRefundId;
  const theirs = `${kind} ${formatAmount(amountMinor)} ${currency}`;
  const difference = describeOrphan('refund', theirs, railRefundId);
  const task = describeDifference({ ...key, orderId }, difference, { railRefundId });
  return {
    ...NOTHING,
    differences: [{ ...store(difference), orderId, paymentId: null, task }],
  };
}

/** Somebody paid out in the rail's dashboard, or another installation uses the rail's account. */
export function buildPayoutOrphanFindings(key: RailDayKey, listed: ListedPayout): Findings {
  const { payoutId: orderId, amountMinor, currency } = listed;
  const theirs = `completed ${formatAmount(amountMinor)} ${currency}`;
  const difference = describeOrphan('payout', theirs, '');
  const task = describeDifference({ ...key, orderId }, difference);
  return {
    ...NOTHING,
    differences: [{ ...store(difference), orderId, paymentId: null, task }],
  };
}

function describeOrphan(field: Difference['field'], theirs: string, subject: string): Difference {
  return { kind: 'orphan', field, ours: 'absent', theirs, subject, booking: null };
}

function store(
  difference: Difference,
): Pick<FoundDifference, 'kind' | 'field' | 'ours' | 'theirs' | 'subject' | 'payoutId'> {
  const { kind, field, ours, theirs, subject } = difference;
  return { kind, field, ours, theirs, subject, payoutId: null };
}

export function sumFindings(findings: readonly Findings[]): Findings {
  return {
    matched: findings.reduce((count, { matched }) => count + matched, 0),
    unanswered: findings.reduce((count, { unanswered }) => count + unanswered, 0),
    sightings: findings.flatMap(({ sightings }) => sightings),
    differences: findings.flatMap(({ differences }) => differences),
    orphans: findings.flatMap(({ orphans }) => orphans),
    inquiries: findings.flatMap(({ inquiries }) => inquiries),
  };
}
