// Reconciles one page: the rail's list against our payments, or our payments against status inquiries. It compares and
// reports, and moves no money: status inquiries resolve differences, and operator tasks report them.
import type { OrderId } from '#actors/core/ids.js';
import type { Attempt, PaymentState } from '#actors/core/payment/state.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import {
  compareOrder,
  parseRailDay,
  type RailDay,
  type RailRecord,
} from '#actors/core/tasks/reconciliation.js';
import { unreachable } from '#actors/core/unreachable.js';
import type { Postgres } from '#store/postgres/client.js';
import type {
  ClaimedReconciliation,
  ReconciledPage,
} from '#store/postgres/rails/reconciliations.js';
import {
  findPaymentsOfOrders,
  findSightings,
  loadPaymentsOfDay,
  type ReconciledPayment,
} from '#store/postgres/rails/reconciled-orders.js';
import type { ListedTransaction, InquiryAnswer, Rail } from '../adapters/rail.js';
import {
  type Findings,
  NOTHING,
  buildOrderFindings,
  buildOrphanFindings,
  sumFindings,
  UNANSWERED,
} from './findings.js';

/** All payments of a page are inquired at the same time. */
const PAYMENTS_A_PAGE = 32;
const LIST_TIMEOUT_MS = 30_000;
const INQUIRY_TIMEOUT_MS = 15_000;
/** The longest that the rail may take for a page. */
export const PAGE_TIMEOUT_MS = Math.max(LIST_TIMEOUT_MS, INQUIRY_TIMEOUT_MS);

const FIRST_INQUIRY = { step: 'ask', cursor: null } as const;

/** A claimed page and its rail. */
export interface PageWork {
  readonly key: ClaimedReconciliation;
  readonly rail: Rail;
  /** False: the rail was silent for too long, so its orders count as unanswered. */
  readonly canPostpone: boolean;
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;
}

/** undefined: the rail did not answer and should be asked again. A list is never skipped. */
export async function reconcilePage(
  sql: Postgres,
  work: PageWork,
): Promise<ReconciledPage | undefined> {
  const { key, rail } = work;
  const day = parseRailDay(key.day);
  if (day === undefined) throw new Error(`rail_reconciliations.day is ${key.day}, which is no day`);
  if (key.step === 'ask') return inquirePage(sql, work, day);
  if (rail.listTransactions === null) return { key, ...NOTHING, next: FIRST_INQUIRY };
  return listPage(sql, work, day);
}

async function listPage(
  sql: Postgres,
  { key, rail, stopping }: PageWork,
  { fromMs, toMs }: RailDay,
): Promise<ReconciledPage | undefined> {
  const signal = AbortSignal.any([AbortSignal.timeout(LIST_TIMEOUT_MS), stopping]);
  const list = await rail.listTransactions?.({ fromMs, toMs, after: key.cursor }, signal);
  if (list?.result !== 'page') return undefined;
  const { transactions, next } = list;
  const orderIds = transactions.map(({ orderId }) => orderId);
  const ours = await findPaymentsOfOrders(sql, key.rail, orderIds);
  const found = transactions.map((listed) => compareListed(key, listed, ours.get(listed.orderId)));
  return {
    key,
    ...sumFindings(found),
    next: next === null ? FIRST_INQUIRY : { step: 'list', cursor: next },
  };
}

function compareListed(
  key: ClaimedReconciliation,
  listed: ListedTransaction,
  payment: ReconciledPayment | undefined,
): Findings {
  if (payment === undefined) return buildOrphanFindings(key, listed);
  // The order was found by this text, so the text is one of our ids.
  const orderId = listed.orderId as OrderId;
  const state = readState(payment);
  if (state === undefined) return UNANSWERED;
  const order = { state, rail: key.rail, orderId };
  const found = buildOrderFindings(key, order, compareOrder(order, listed), listed.railReference);
  return { ...found, sightings: [orderId] };
}

interface InquiredOrder {
  readonly state: PaymentState;
  readonly attempt: Attempt;
}

async function inquirePage(
  sql: Postgres,
  work: PageWork,
  day: RailDay,
): Promise<ReconciledPage | undefined> {
  const { key, rail, canPostpone } = work;
  const withEnded = rail.listTransactions === null;
  const page = { after: key.cursor ?? '', limit: PAYMENTS_A_PAGE, withEnded };
  const payments = await loadPaymentsOfDay(sql, key.rail, day, page);
  const states = payments.flatMap((payment) => readState(payment) ?? []);
  const orders = states.flatMap((state) => listOrdersAt(rail, state));
  const orderIds = orders.map(({ attempt }) => attempt.orderId);
  const listed = await findSightings(sql, key, orderIds);
  const inquired = orders.filter(({ attempt }) => !listed.has(attempt.orderId));
  const answers = await Promise.all(inquired.map((order) => inquireOrder(work, order)));
  const isSilent = answers.length > 0 && answers.every((answer) => answer === UNANSWERED);
  if (isSilent && canPostpone) return undefined;
  const last = payments.at(-1)?.id;
  const isEnd = last === undefined || payments.length < PAYMENTS_A_PAGE;
  const unread = new Array<Findings>(payments.length - states.length).fill(UNANSWERED);
  const next = isEnd ? null : ({ step: 'ask', cursor: last } as const);
  return { key, ...sumFindings([...answers, ...unread]), next };
}

/** undefined: the snapshot cannot be read; it must not keep the others from being compared. */
function readState({ snapshot }: ReconciledPayment): PaymentState | undefined {
  try {
    return decodeSnapshot(snapshot);
  } catch {
    return undefined;
  }
}

/** Leaves out refused attempts: the rail took no order. */
function listOrdersAt({ name }: Rail, state: PaymentState): InquiredOrder[] {
  return state.attempts
    .filter(({ rail, status }) => rail === name && status !== 'refused')
    .map((attempt) => ({ state, attempt }));
}

async function inquireOrder(
  { key, rail, stopping }: PageWork,
  { state, attempt }: InquiredOrder,
): Promise<Findings> {
  const { orderId, railReference, method } = attempt;
  const { amountMinor, currency } = state.request;
  const { capture } = state;
  const bookedTransactionId = capture?.orderId === orderId ? capture.railTransactionId : null;
  const order = { orderId, railReference, bookedTransactionId, method, amountMinor, currency };
  const signal = AbortSignal.any([AbortSignal.timeout(INQUIRY_TIMEOUT_MS), stopping]);
  const seen = readAnswer(await rail.inquirePayment(order, signal));
  if (seen === null) return UNANSWERED;
  const own = { state, rail: key.rail, orderId };
  return buildOrderFindings(key, own, compareOrder(own, seen), null);
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
      return { state: 'open' };
    case 'unknown':
      return answer.isAbsent === true ? { state: 'absent' } : null;
    default:
      return unreachable(answer);
  }
}
