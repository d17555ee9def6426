// One page of a reconciliation: what of the rail's list we have, or how the orders of payments of ours stand at the rail.
// It asks and compares, and moves nothing: what differs is looked up in the ordinary way, orders that nobody knows are
// judged in the ordinary way, and a person is told.
import type { OrderId } from '#actors/core/ids.js';
import type { Attempt, PaymentState } from '#actors/core/payment/state.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { compareOrder, type RailRecord } from '#actors/core/tasks/reconciliation.js';
import { parseRailDay, type RailDay } from '#actors/core/tasks/reconciliation.js';
import { unreachable } from '#actors/core/unreachable.js';
import type {
  ClaimedReconciliation,
  ReconciledPage,
} from '#store/postgres/rails/reconciliations.js';
import type { ReconciledPayment } from '#store/postgres/rails/reconciled-orders.js';
import type { ListedTransaction, InquiryAnswer, Rail } from '../adapters/rail.js';
import {
  type Findings,
  NOTHING,
  buildOrderFindings,
  buildOrphanFindings,
  sumFindings,
  UNANSWERED,
} from './findings.js';

/** Payments of one page, all asked about at the same time. */
const PAYMENTS_A_PAGE = 32;
const LIST_TIMEOUT_MS = 30_000;
const LOOK_TIMEOUT_MS = 15_000;
/** The longest that the rail takes with a page. */
export const PAGE_TIMEOUT_MS = Math.max(LIST_TIMEOUT_MS, LOOK_TIMEOUT_MS);

export interface PaymentsPage {
  /** Behind this id. */
  readonly after: string;
  readonly limit: number;
  /** Also those with an order that ended on the day. */
  readonly withEnded: boolean;
}

export interface ReconcilePageDeps {
  loadPayments: (
    key: ClaimedReconciliation,
    day: RailDay,
    page: PaymentsPage,
  ) => Promise<ReconciledPayment[]>;
  /** By order; what is not ours is left out. */
  findPayments: (
    key: ClaimedReconciliation,
    orderIds: readonly string[],
  ) => Promise<ReadonlyMap<string, ReconciledPayment>>;
  findSightings: (
    key: ClaimedReconciliation,
    orderIds: readonly string[],
  ) => Promise<ReadonlySet<string>>;
  readonly giveUp: AbortSignal;
}

/** A claimed page and whom to ask. */
export interface PageWork {
  readonly key: ClaimedReconciliation;
  readonly rail: Rail;
  /** False: a rail that was silent for long counts as one that says nothing of these orders. */
  readonly mayPostpone: boolean;
}

/** undefined: the rail did not answer, and should be asked again. A list that does not come is never passed over. */
export async function reconcilePage(
  parts: ReconcilePageDeps,
  work: PageWork,
): Promise<ReconciledPage | undefined> {
  const { key, rail } = work;
  const day = parseRailDay(key.day);
  if (day === undefined) throw new Error(`${key.day} is no day`);
  if (key.step === 'ask') return inquirePage(parts, work, day);
  if (rail.listTransactions === null) return { key, ...NOTHING, next: FIRST_INQUIRY };
  return listPage(parts, work, day);
}

const FIRST_INQUIRY = { step: 'ask', cursor: null } as const;

async function listPage(
  parts: ReconcilePageDeps,
  { key, rail }: PageWork,
  { fromMs, toMs }: RailDay,
): Promise<ReconciledPage | undefined> {
  const signal = AbortSignal.any([AbortSignal.timeout(LIST_TIMEOUT_MS), parts.giveUp]);
  const list = await rail.listTransactions?.({ fromMs, toMs, after: key.cursor }, signal);
  if (list?.result !== 'page') return undefined;
  const { transactions, next } = list;
  const orderIds = transactions.map(({ orderId }) => orderId);
  const ours = await parts.findPayments(key, orderIds);
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
  // The rail's text is the id of an order that we have.
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
  parts: ReconcilePageDeps,
  { key, rail, mayPostpone }: PageWork,
  day: RailDay,
): Promise<ReconciledPage | undefined> {
  const withEnded = rail.listTransactions === null;
  const place = { after: key.cursor ?? '', limit: PAYMENTS_A_PAGE, withEnded };
  const payments = await parts.loadPayments(key, day, place);
  const states = payments.flatMap((payment) => readState(payment) ?? []);
  const orders = states.flatMap((state) => listOrdersAt(rail, state));
  const orderIds = orders.map(({ attempt }) => attempt.orderId);
  const listed = await parts.findSightings(key, orderIds);
  const asked = orders.filter(({ attempt }) => !listed.has(attempt.orderId));
  const answers = await Promise.all(asked.map((order) => inquireOrder(parts, rail, key, order)));
  const isSilent = answers.length > 0 && answers.every((answer) => answer === UNANSWERED);
  if (isSilent && mayPostpone) return undefined;
  const last = payments.at(-1)?.id;
  const isEnd = last === undefined || payments.length < PAYMENTS_A_PAGE;
  const unread = new Array<Findings>(payments.length - states.length).fill(UNANSWERED);
  const next = isEnd ? null : ({ step: 'ask', cursor: last } as const);
  return { key, ...sumFindings([...answers, ...unread]), next };
}

/** undefined: a snapshot that cannot be read must not keep the others from being compared. */
function readState({ snapshot }: ReconciledPayment): PaymentState | undefined {
  try {
    return decodeSnapshot(snapshot);
  } catch {
    return undefined;
  }
}

/** What was refused was not taken: there is nothing to be said of it. */
function listOrdersAt({ name }: Rail, state: PaymentState): InquiredOrder[] {
  return state.attempts
    .filter(({ rail, status }) => rail === name && status !== 'refused')
    .map((attempt) => ({ state, attempt }));
}

async function inquireOrder(
  { giveUp }: ReconcilePageDeps,
  rail: Rail,
  key: ClaimedReconciliation,
  { state, attempt }: InquiredOrder,
): Promise<Findings> {
  const { orderId, railReference, method } = attempt;
  const { amountMinor, currency } = state.request;
  const { capture } = state;
  const bookedTransactionId = capture?.orderId === orderId ? capture.railTransactionId : null;
  const order = { orderId, railReference, bookedTransactionId, method, amountMinor, currency };
  const signal = AbortSignal.any([AbortSignal.timeout(LOOK_TIMEOUT_MS), giveUp]);
  const seen = buildSeen(await rail.inquirePayment(order, signal));
  if (seen === null) return UNANSWERED;
  const own = { state, rail: key.rail, orderId };
  return buildOrderFindings(key, own, compareOrder(own, seen), null);
}

/** null: the rail said nothing. */
function buildSeen(answer: InquiryAnswer): RailRecord | null {
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
