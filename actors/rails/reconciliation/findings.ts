// What a reconciliation found of orders: counts, differences with the tasks that tell a person of them, orders of nobody to
// be judged, and orders to be looked up in the ordinary way. Pure.
import type { OrderId } from '#actors/core/ids.js';
import { formatAmount } from '#actors/core/money.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import type { Difference } from '#actors/core/tasks/reconciliation.js';
import { deriveTaskId } from '#actors/core/tasks/kinds.js';
import type { RailDayKey, ReconciledPage } from '#store/postgres/rails/reconciliations.js';
import type { ListedTransaction } from '../adapters/rail.js';

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

/** `reference`: the rail's own id of the order, where it told one. */
export function buildOrderFindings(
  key: RailDayKey,
  { state, orderId }: { readonly state: PaymentState; readonly orderId: OrderId },
  difference: Difference | null,
  reference: string | null,
): Findings {
  if (difference === null) return MATCHED;
  const task = buildTask(key, orderId, difference);
  return {
    ...NOTHING,
    differences: [{ ...difference, orderId, paymentId: state.id, task }],
    inquiries: difference.field === 'status' ? [{ orderId, reference }] : [],
  };
}

/** Money that came and went again leaves nothing to be done. */
export function buildOrphanFindings(key: RailDayKey, listed: ListedTransaction): Findings {
  const { orderId, railReference: reference, amountMinor, currency } = listed;
  if (listed.state === 'reversed') return MATCHED;
  const amount = formatAmount(amountMinor);
  const theirs = `settled ${amount} ${currency}`;
  const difference: Difference = { kind: 'orphan', field: 'status', ours: 'absent', theirs };
  // Judged, it gets a task with its money. What cannot be asked about gets one without.
  const task = reference === null ? buildTask(key, orderId, difference) : null;
  return {
    ...NOTHING,
    differences: [{ ...difference, orderId, paymentId: null, task }],
    orphans: reference === null ? [] : [{ orderId, reference, amount, currency }],
  };
}

/** The same difference is the same task, whichever day finds it. */
function buildTask({ rail, day }: RailDayKey, orderId: string, difference: Difference) {
  const { kind, field, ours, theirs } = difference;
  const about = JSON.stringify([rail, orderId, kind, field, ours, theirs]);
  const details = JSON.stringify({ rail, day, orderId, difference: kind, field, ours, theirs });
  return { id: deriveTaskId(`rail difference:${about}`), details };
}

export function sumFindings(parts: readonly Findings[]): Findings {
  return {
    matched: parts.reduce((count, { matched }) => count + matched, 0),
    unanswered: parts.reduce((count, { unanswered }) => count + unanswered, 0),
    sightings: parts.flatMap(({ sightings }) => sightings),
    differences: parts.flatMap(({ differences }) => differences),
    orphans: parts.flatMap(({ orphans }) => orphans),
    inquiries: parts.flatMap(({ inquiries }) => inquiries),
  };
}
