// Compares a page of the rail's list of a day with our payments, refunds and payouts.
import type { OrderId } from '#actors/core/ids.js';
import type { RailDay } from '#actors/core/tasks/rail-days.js';
import { comparePayout } from '#actors/core/tasks/reconciled-payouts.js';
import { compareGivenBack } from '#actors/core/tasks/reconciled-refunds.js';
import { compareOrder } from '#actors/core/tasks/reconciliation.js';
import { describeUnknownOrder } from '#actors/core/tasks/unknown-order.js';
import { unreachable } from '#actors/core/unreachable.js';
import type { Postgres } from '#store/postgres/client.js';
import { findPayouts } from '#store/postgres/rails/reconciled-payouts.js';
import {
  findPaymentsOfOrders,
  findPaymentsOfRefunds,
  type ReconciledPayment,
} from '#store/postgres/rails/reconciled-orders.js';
import type { RailDayKey, ReconciledPage } from '#store/postgres/rails/reconciliations.js';
import { bookUnknownOrder } from '#store/postgres/tasks/book-unknown-order.js';
import type {
  ListedPayment,
  ListedPayout,
  ListedRefund,
  ListedTransaction,
} from '../adapters/rail.js';
import {
  buildOrderFindings,
  buildOrphanFindings,
  buildPayoutFindings,
  buildPayoutOrphanFindings,
  buildRefundFindings,
  buildRefundOrphanFindings,
  type Findings,
  MATCHED,
  sumFindings,
  UNANSWERED,
} from './findings.js';
import { LIST_TIMEOUT_MS, type PageWork, readState } from './page-work.js';

export async function listPage(
  sql: Postgres,
  { key, rail, stopping }: PageWork,
  { fromMs, toMs }: RailDay,
): Promise<ReconciledPage | undefined> {
  const signal = AbortSignal.any([AbortSignal.timeout(LIST_TIMEOUT_MS), stopping]);
  const list = await rail.listTransactions?.({ fromMs, toMs, after: key.cursor }, signal);
  if (list?.result !== 'page') return undefined;
  const { transactions, next } = list;
  const ours = await findOurs(sql, key, transactions);
  const found = transactions.map((listed) => compareListed(key, listed, ours));
  for (const listed of transactions) await bookUninquirable(sql, key, listed, ours);
  return {
    key,
    ...sumFindings(found),
    next: next === null ? { step: 'ask', cursor: null } : { step: 'list', cursor: next },
  };
}

/** Our records that a page names. */
interface Ours {
  readonly byOrder: ReadonlyMap<string, ReconciledPayment>;
  readonly byRefund: ReadonlyMap<string, ReconciledPayment>;
  readonly payouts: Awaited<ReturnType<typeof findPayouts>>;
}

async function findOurs(
  sql: Postgres,
  { rail }: RailDayKey,
  transactions: readonly ListedTransaction[],
): Promise<Ours> {
  const orderIds = transactions.flatMap((one) =>
    one.kind === 'payout' ? [] : (one.orderId ?? []),
  );
  const refunds = transactions.filter((one) => one.kind === 'refund');
  const payouts = transactions.filter((one) => one.kind === 'payout');
  return {
    byOrder: await findPaymentsOfOrders(sql, rail, orderIds),
    byRefund: await findPaymentsOfRefunds(
      sql,
      refunds.flatMap(({ givenBack }) => givenBack.refundKey ?? []),
    ),
    payouts: await findPayouts(
      sql,
      payouts.map(({ payoutId }) => payoutId),
    ),
  };
}

function compareListed(key: RailDayKey, listed: ListedTransaction, ours: Ours): Findings {
  switch (listed.kind) {
    case 'payment':
      return comparePayment(key, listed, ours);
    case 'refund':
      return compareRefund(key, listed, ours);
    case 'payout':
      return compareListedPayout(key, listed, ours);
    default:
      return unreachable(listed);
  }
}

function comparePayment(key: RailDayKey, listed: ListedPayment, { byOrder }: Ours): Findings {
  const payment = byOrder.get(listed.orderId);
  if (payment === undefined) return buildOrphanFindings(listed);
  // The order was found by this text, so the text is one of our ids.
  const orderId = listed.orderId as OrderId;
  const state = readState(payment);
  if (state === undefined) return UNANSWERED;
  const order = { state, rail: key.rail, orderId };
  const found = buildOrderFindings(key, order, compareOrder(order, listed), listed.railReference);
  return { ...found, sightings: [orderId] };
}

function compareRefund(key: RailDayKey, listed: ListedRefund, ours: Ours): Findings {
  const { givenBack, orderId } = listed;
  const payment = ours.byRefund.get(givenBack.refundKey ?? '') ?? ours.byOrder.get(orderId ?? '');
  if (payment === undefined) return buildRefundOrphanFindings(key, listed);
  const state = readState(payment);
  if (state === undefined) return UNANSWERED;
  const paidOrderId = orderId ?? state.capture?.orderId ?? '';
  const differences = compareGivenBack(state, [givenBack]);
  const found = buildRefundFindings(key, { state, orderId: paidOrderId }, differences);
  const sightings = givenBack.refundKey === null ? [] : [givenBack.refundKey];
  return { ...found, matched: differences.length === 0 ? 1 : 0, sightings };
}

function compareListedPayout(key: RailDayKey, listed: ListedPayout, { payouts }: Ours): Findings {
  const payout = payouts.get(listed.payoutId);
  if (payout === undefined) {
    return listed.state === 'completed' ? buildPayoutOrphanFindings(key, listed) : MATCHED;
  }
  const found = buildPayoutFindings(key, payout, comparePayout(payout, listed));
  return { ...found, sightings: [payout.id] };
}

/** Money of an unknown order under an id that cannot be inquired about: the list itself is the rail's word. */
async function bookUninquirable(
  sql: Postgres,
  { rail }: RailDayKey,
  listed: ListedTransaction,
  { byOrder }: Ours,
): Promise<void> {
  if (listed.kind !== 'payment' || listed.state !== 'settled' || listed.otherId === null) return;
  if (byOrder.has(listed.orderId)) return;
  const { orderId, otherId, amountMinor, currency } = listed;
  const money = { orderId, amountMinor, currency, settledAtMs: null };
  await bookUnknownOrder(sql, describeUnknownOrder({ rail, railTransactionId: otherId, ...money }));
}
