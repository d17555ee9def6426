// Compares our payments of a day with status inquiries: those that the rail's list has not named, or all of them when the
// rail has no list.
import { isMadeByRail, compareRefunds } from '#actors/core/tasks/reconciled-refunds.js';
import type { Attempt, PaymentState } from '#actors/core/payment/state.js';
import type { RailDay } from '#actors/core/tasks/rail-days.js';
import { compareOrder, type RailRecord } from '#actors/core/tasks/reconciliation.js';
import { unreachable } from '#actors/core/unreachable.js';
import type { Postgres } from '#store/postgres/client.js';
import { findSightings, loadPaymentsOfDay } from '#store/postgres/rails/reconciled-orders.js';
import type { ReconciledPage } from '#store/postgres/rails/reconciliations.js';
import type { InquiryAnswer, Rail } from '../adapters/rail.js';
import {
  buildOrderFindings,
  buildRefundFindings,
  type Findings,
  sumFindings,
  UNANSWERED,
} from './findings.js';
import { INQUIRED_A_PAGE, INQUIRY_TIMEOUT_MS, type PageWork, readState } from './page-work.js';

interface InquiredOrder {
  readonly state: PaymentState;
  readonly attempt: Attempt;
  /** The rail's list has named the order, and not all of its refunds. */
  readonly isListed: boolean;
}

export async function inquireOrdersPage(
  sql: Postgres,
  work: PageWork,
  day: RailDay,
): Promise<ReconciledPage | undefined> {
  const { key, rail, canPostpone } = work;
  const withEnded = rail.listTransactions === null;
  const page = { after: key.cursor ?? '', limit: INQUIRED_A_PAGE, withEnded };
  const payments = await loadPaymentsOfDay(sql, key.rail, day, page);
  const states = payments.flatMap((payment) => readState(payment) ?? []);
  const inquired = await listInquired(sql, work, states);
  const answers = await Promise.all(inquired.map((order) => inquireOrder(work, order)));
  const isSilent = answers.length > 0 && answers.every((answer) => answer === UNANSWERED);
  if (isSilent && canPostpone) return undefined;
  const last = payments.at(-1)?.id;
  const isEnd = last === undefined || payments.length < INQUIRED_A_PAGE;
  const unread = new Array<Findings>(payments.length - states.length).fill(UNANSWERED);
  const next = isEnd ? planPayouts(rail) : ({ step: 'ask', cursor: last } as const);
  return { key, ...sumFindings([...answers, ...unread]), next };
}

function planPayouts({ capabilities }: Rail): ReconciledPage['next'] {
  return capabilities.canPayOut ? { step: 'payouts', cursor: null } : null;
}

async function listInquired(
  sql: Postgres,
  { key, rail }: PageWork,
  states: readonly PaymentState[],
): Promise<InquiredOrder[]> {
  const orders = states.flatMap((state) => listOrdersAt(rail, state));
  const names = orders.flatMap(({ state, attempt }) => [attempt.orderId, ...listRefunds(state)]);
  const listed = await findSightings(sql, key, names);
  return orders.flatMap((order) => {
    const { state, attempt } = order;
    if (!listed.has(attempt.orderId)) return [order];
    const isPaidBy = state.capture?.orderId === attempt.orderId;
    const isMissed = isPaidBy && listRefunds(state).some((id) => !listed.has(id));
    return isMissed ? [{ ...order, isListed: true }] : [];
  });
}

const listRefunds = ({ refunds }: PaymentState): string[] =>
  refunds.filter(isMadeByRail).map(({ id }) => id);

/** Leaves out refused attempts: the rail took no order. */
function listOrdersAt({ name }: Rail, state: PaymentState): InquiredOrder[] {
  return state.attempts
    .filter(({ rail, status }) => rail === name && status !== 'refused')
    .map((attempt) => ({ state, attempt, isListed: false }));
}

async function inquireOrder(
  { key, rail, stopping }: PageWork,
  { state, attempt, isListed }: InquiredOrder,
): Promise<Findings> {
  const { orderId, railReference, method } = attempt;
  const { amountMinor, currency } = state.request;
  const { capture } = state;
  const bookedTransactionId = capture?.orderId === orderId ? capture.railTransactionId : null;
  const money = { bookedTransactionId, amountMinor, currency, wantsGivenBack: true };
  const signal = AbortSignal.any([AbortSignal.timeout(INQUIRY_TIMEOUT_MS), stopping]);
  const answer = await rail.inquirePayment({ orderId, railReference, method, ...money }, signal);
  const seen = readAnswer(answer);
  if (seen === null) return UNANSWERED;
  const own = { state, rail: key.rail, orderId };
  const givenBack = answer.result === 'settled' ? answer.givenBack : null;
  const differences = givenBack === null ? [] : compareRefunds(own, givenBack);
  const refunds = buildRefundFindings(key, own, differences);
  if (isListed) return refunds;
  const order = buildOrderFindings(key, own, compareOrder(own, seen), null);
  return differences.length === 0 ? order : sumFindings([{ ...order, matched: 0 }, refunds]);
}

/** null: the rail gave no answer. */
function readAnswer(answer: InquiryAnswer): RailRecord | null {
  switch (answer.result) {
    case 'settled':
      return { state: 'settled', ...answer.settlement };
    case 'reversed':
      return { state: 'reversed', railTransactionId: answer.railTransactionId };
    case 'failed':
    case 'closed':
      return { state: 'ended' };
    case 'open':
    case 'unusable':
      return { state: 'open' };
    case 'unknown':
      return answer.isAbsent === true ? { state: 'absent' } : null;
    default:
      return unreachable(answer);
  }
}
