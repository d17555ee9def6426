// The findings of a reconciliation: counts, differences with their operator tasks, unknown orders (orphans), and orders that
// need a status inquiry. Pure.
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

/** `reference`: the rail's own id of the order, if it named one. */
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

/** A reversed payment counts as matched: no money is left at the rail. */
export function buildOrphanFindings(key: RailDayKey, listed: ListedTransaction): Findings {
  const { orderId, railReference: reference, amountMinor, currency } = listed;
  if (listed.state === 'reversed') return MATCHED;
  const amount = formatAmount(amountMinor);
  const theirs = `settled ${amount} ${currency}`;
  const difference: Difference = { kind: 'orphan', field: 'status', ours: 'absent', theirs };
  // With a reference, the inquiry of unknown orders opens the task and books the money. Without one, nothing can be
  // inquired, so the task is opened here.
  const task = reference === null ? buildTask(key, orderId, difference) : null;
  return {
    ...NOTHING,
    differences: [{ ...difference, orderId, paymentId: null, task }],
    orphans: reference === null ? [] : [{ orderId, reference, amount, currency }],
  };
}

/** The same difference is the same task on every day. */
function buildTask({ rail, day }: RailDayKey, orderId: string, difference: Difference) {
  const { kind, field, ours, theirs } = difference;
  const cause = JSON.stringify([rail, orderId, kind, field, ours, theirs]);
  const details = JSON.stringify({ rail, day, orderId, difference: kind, field, ours, theirs });
  return { id: deriveTaskId(`rail difference:${cause}`), details };
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
