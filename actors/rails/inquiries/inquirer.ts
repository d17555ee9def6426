// Status inquiries at one rail: the state of an order, or the outcome of a refund. Payments learn only what an inquiry
// found, whether its time, a callback or a lost answer made it due. serve-rails.ts names the states.
import { type Attempt, findAttempt, type PaymentState } from '#actors/core/payment/state.js';
import { encodeCommand } from '#actors/core/payment/wire/command.js';
import { decodeRailCall } from '#actors/core/payment/wire/rail-call.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { parseOrderId } from '#actors/core/ids.js';
import type { ReportedState } from '#actors/core/statuses.js';
import { isUnderOurKey } from '#actors/core/tasks/reconciled-refunds.js';
import { runWithSignal } from '#ops/runtime/deadline.js';
import { RetryLoop } from '#ops/runtime/retry-loop.js';
import {
  type ClaimedInquiry,
  createInquiryTurns,
  type RecordedInquiry,
  type NextInquiry,
  type InquiryTask,
} from '#store/postgres/rails/inquiries.js';
import type {
  InquiryAnswer,
  Rail,
  RailOrder,
  RefundInquiryAnswer,
  UnknownAnswer,
} from '../adapters/rail.js';
import { ADAPTER_LATE_MS, type RailCallDeps, RECORD_MS } from '../calls/caller.js';
import { traceInquiries } from '../calls/rail-spans.js';
import { type RailWorker, startRailWorker } from '../calls/rail-worker.js';
import { type Absence, type AbsentOrder, countAbsence, decideAbsence } from './absent-charges.js';
import {
  type InquiredOrder,
  type InquiryResult,
  interpretOrderAnswer,
  interpretRefundAnswer,
  type OpenCall,
} from './inquiry-result.js';
import {
  buildContradictionTasks,
  buildGivenBackTasks,
  buildUnconfirmedTasks,
  buildUnresolvedTasks,
} from './inquiry-tasks.js';
import { planFastInquiry, planOrderInquiry, planRefundInquiry } from './next-inquiry.js';
import {
  buildClose,
  describeClose,
  type InquiredClose,
  planRepeatedClose,
  type RepeatedClose,
} from './repeated-closes.js';
import { listUnconfirmed } from './unconfirmed-reports.js';
import { closeUnusable, UNUSABLE_MESSAGE } from './unusable-orders.js';

/** Shorter than a call's time-out: an inquiry changes nothing, so it is given up sooner and repeated. */
const MAX_TIMEOUT_MS = 15_000;

/** Resolves to whether the result was the latest. */
export type RecordInquiry = (result: RecordedInquiry) => Promise<boolean>;

export interface InquirerOptions {
  readonly rail: Rail;
  readonly slots: number;
  readonly record: RecordInquiry;
}

interface Inquirer extends RailCallDeps, InquirerOptions {
  /** The time-out of calls; that of inquiries is shorter. */
  readonly callTimeoutMs: number;
  /** After this time the process that made a call no longer waits for it. */
  readonly givenUpMs: number;
  readonly retryLoop: RetryLoop;
}

interface Inquiry {
  readonly claimed: ClaimedInquiry;
  readonly state: PaymentState;
  readonly calls: readonly OpenCall[];
}
interface InquiryOutcome {
  /** The rail's answer, in one word. */
  readonly answer: string;
  readonly result: InquiryResult;
  readonly absence: Absence | null;
  readonly close: RepeatedClose | null;
  readonly tasks: readonly InquiryTask[];
  /** The rail gave some of the order's money back without being asked by us. */
  readonly hasGivenBack: boolean;
}

const NO_RESULT: InquiryResult = { commands: [], doubts: [], answeredCalls: [] };
const NOTHING_ELSE = { absence: null, close: null, tasks: [], hasGivenBack: false } as const;
const UNKNOWN = { result: 'unknown' } as const;
const CLOSED = { result: 'closed' } as const;

export function startInquirer(deps: RailCallDeps, options: InquirerOptions): RailWorker {
  const { store, clock, log } = deps;
  const { rail, slots } = options;
  const name = `status inquiries at ${rail.name}`;
  const timeoutMs = Math.min(deps.timeoutMs, MAX_TIMEOUT_MS);
  const retryLoop = new RetryLoop(log, `recording of ${name}`, clock);
  const leaseMs = timeoutMs + ADAPTER_LATE_MS + RECORD_MS;
  const givenUpMs = deps.timeoutMs + ADAPTER_LATE_MS + RECORD_MS;
  const callTimeoutMs = deps.timeoutMs;
  const inquirer = { ...deps, ...options, timeoutMs, callTimeoutMs, givenUpMs, retryLoop };
  const turns = createInquiryTurns(rail.name);
  return startRailWorker({
    name,
    slots,
    allow: (free) => free,
    claim: (limit) => store.claimInquiries({ rail: rail.name, limit, leaseMs, givenUpMs, turns }),
    run: traceInquiries(deps.tracing, rail.name, (claimed) => runInquiry(inquirer, claimed)),
    clock,
    log,
  });
}

async function runInquiry(inquirer: Inquirer, claimed: ClaimedInquiry): Promise<void> {
  try {
    const calls = claimed.calls.map(({ id, request, isGivenUp, isAnswered }): OpenCall => ({
      id,
      call: decodeRailCall(request),
      isGivenUp,
      isAnswered,
    }));
    const inquiry = { claimed, state: decodeSnapshot(claimed.snapshot), calls };
    const outcome = await (claimed.kind === 'order'
      ? inquirePayment(inquirer, inquiry)
      : inquireRefund(inquirer, inquiry));
    await recordOutcome(inquirer, inquiry, outcome);
  } catch (error) {
    inquirer.log.error(
      { err: error, inquiry: claimed.id },
      'a status inquiry failed; it is repeated',
    );
  }
}

async function inquirePayment(
  inquirer: Inquirer,
  { claimed, state, calls }: Inquiry,
): Promise<InquiryOutcome> {
  const orderId = parseOrderId(claimed.id);
  const attempt = orderId && findAttempt(state, orderId);
  if (attempt === undefined) return { answer: 'unknown', result: NO_RESULT, ...NOTHING_ELSE };
  const order = buildOrder(claimed, state, attempt);
  const answer = await callRail(inquirer, (signal) => inquirer.rail.inquirePayment(order, signal));
  const { closes, isCloseDue, inquireUntilMs, absence } = claimed;
  const inquired = {
    ...{ state, attempt, calls, closes, isCloseDue, inquireUntilMs, absence },
    timeoutMs: inquirer.callTimeoutMs,
    ...{
      orderId: attempt.orderId,
      railReference: order.railReference,
      nowMs: inquirer.clock.nowMs(),
    },
  };
  if (answer.result === 'unknown') return followUnknown(inquired, answer);
  if (answer.result === 'unusable') {
    const { railReference } = answer;
    const { rail } = attempt;
    inquirer.log.error({ rail, orderId, railReference, closes }, UNUSABLE_MESSAGE);
    const step = closeUnusable({ ...inquired, railReference });
    return { ...NOTHING_ELSE, answer: answer.result, ...step };
  }
  const close = answer.result === 'open' ? planRepeatedClose(inquired) : null;
  const tasks =
    answer.result === 'settled'
      ? buildSettledTasks({ claimed, state }, answer, inquired.nowMs)
      : [];
  const result = interpretOrderAnswer({ ...inquired, isClosedAgain: close !== null }, answer);
  const hasGivenBack =
    answer.result === 'settled' && (answer.givenBack ?? []).some((entry) => !isUnderOurKey(entry));
  return { answer: answer.result, result, absence: null, close, tasks, hasGivenBack };
}

function buildSettledTasks(
  { claimed, state }: Pick<Inquiry, 'claimed' | 'state'>,
  { settlement, givenBack }: Extract<InquiryAnswer, { result: 'settled' }>,
  nowMs: number,
): readonly InquiryTask[] {
  const { rail, orderId } = settlement;
  const order = { state, rail, orderId };
  return [
    ...buildContradictionTasks(claimed.reported, state.request, settlement),
    ...buildGivenBackTasks(order, givenBack ?? [], nowMs),
  ];
}

type InquiredAttempt = Omit<InquiredOrder, 'isClosedAgain'> & InquiredClose & AbsentOrder;

/** An order that its rail does not know is cancelled there after some time, and then counts as closed. */
function followUnknown(order: InquiredAttempt, answer: UnknownAnswer): InquiryOutcome {
  const inquired = { ...order, isClosedAgain: false };
  const unknown = interpretOrderAnswer(inquired, UNKNOWN);
  const outcome = { ...NOTHING_ELSE, answer: answer.result, result: unknown };
  if (answer.isAbsent !== true) return { ...outcome, absence: order.absence };
  const absence = countAbsence(order);
  const step = decideAbsence(order, absence);
  const result = step === 'not_taken' ? interpretOrderAnswer(inquired, CLOSED) : unknown;
  const close =
    step === 'close' ? { call: buildClose(order, 'supersede'), onlyWithout: null, inMs: 0 } : null;
  return { ...outcome, result, close, absence };
}

function buildOrder(claimed: ClaimedInquiry, state: PaymentState, attempt: Attempt): RailOrder {
  const { orderId, method } = attempt;
  const { amountMinor, currency } = state.request;
  const { capture } = state;
  return {
    orderId,
    railReference: attempt.railReference ?? claimed.reference,
    bookedTransactionId: capture?.orderId === orderId ? capture.railTransactionId : null,
    method,
    amountMinor,
    currency,
    wantsGivenBack: claimed.unconfirmed.includes('given_back'),
    wantsInstructions: attempt.status === 'charging',
  };
}

async function inquireRefund(
  inquirer: Inquirer,
  { claimed, state, calls }: Inquiry,
): Promise<InquiryOutcome> {
  const open = calls.find(({ id }) => id === claimed.id);
  const call = open?.call;
  if (call?.operation !== 'refund')
    return { answer: 'answered', result: NO_RESULT, ...NOTHING_ELSE };
  const answer = await callRail(inquirer, (signal) => inquirer.rail.inquireRefund(call, signal));
  await repeatAbsentRefund(inquirer, open, answer);
  const known = answer.result === 'unknown' ? ({ result: 'unknown' } as const) : answer;
  const result = interpretRefundAnswer(state, open, known, inquirer.clock.nowMs());
  return { answer: answer.result, result, ...NOTHING_ELSE };
}

/**
 * The request may never have arrived. A rail that recognises a repeat by its key gets it again; another one only if the
 * process that claimed the call is gone and had not begun the request.
 */
async function repeatAbsentRefund(
  { rail, store, givenUpMs }: Inquirer,
  open: OpenCall | undefined,
  answer: RefundInquiryAnswer,
): Promise<void> {
  const { refundKeyMs } = rail.capabilities;
  const isAbsent = answer.result === 'unknown' && 'isAbsent' in answer && answer.isAbsent === true;
  if (!isAbsent || open?.isGivenUp !== true) return;
  if (refundKeyMs === null) await store.repeatUnbegunRefund(open.id, givenUpMs);
  else await store.repeatRefund(open.id, refundKeyMs);
}

async function callRail<Answer extends { readonly result: string }>(
  { rail, timeoutMs, giveUp, onAnswer, clock, log }: Inquirer,
  inquire: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer | UnknownAnswer> {
  const beganMs = clock.monotonicMs();
  const limits = { timeoutMs, lateMs: ADAPTER_LATE_MS, giveUp, clock };
  const answer = await runWithSignal(limits, inquire).catch((error: unknown) => {
    log.error({ err: error, rail: rail.name }, 'the adapter of a rail failed');
    return { result: 'unknown' } as const;
  });
  onAnswer(rail.name, 'look_up', answer.result, clock.monotonicMs() - beganMs);
  return answer;
}

async function recordOutcome(
  inquirer: Inquirer,
  inquiry: Inquiry,
  outcome: InquiryOutcome,
): Promise<void> {
  const { result, absence, close, tasks } = outcome;
  const { giveUp, retryLoop, record, send } = inquirer;
  const { commands, doubts, answeredCalls } = result;
  const { next, unconfirmed } = planNext(inquirer, inquiry, outcome);
  const unresolved =
    next === null && isRefundOpen(inquiry, result) ? buildUnresolvedTasks(inquiry) : [];
  const isLatest = await retryLoop.retry(giveUp, () =>
    record({
      inquiry: inquiry.claimed,
      paymentId: inquiry.state.id,
      next,
      answeredCalls,
      commands: commands.map(encodeCommand),
      absence,
      close: close && describeClose(close),
      tasks: [...tasks, ...unresolved, ...buildUnconfirmedTasks(inquiry, unconfirmed)],
    }),
  );
  if (isLatest !== true) return;
  for (const command of [...commands, ...doubts]) send(command);
}

interface Plan {
  /** null: inquiries end. */
  readonly next: NextInquiry | null;
  /** Reports of callbacks that the whole fast schedule has not found. */
  readonly unconfirmed: readonly ReportedState[];
}

function planNext(
  { scheduleS, clock }: Inquirer,
  inquiry: Inquiry,
  { answer, result, hasGivenBack }: InquiryOutcome,
): Plan {
  const { kind, step, inquireUntilMs, fastStep } = inquiry.claimed;
  const schedule = { step, inquireUntilMs, nowMs: clock.nowMs(), scheduleS };
  const isOpen = kind === 'refund' && isRefundOpen(inquiry, result);
  const isAnswered = inquiry.calls
    .filter(({ call }) => call.operation !== 'refund' && call.orderId === inquiry.claimed.id)
    .every(({ id }) => result.answeredCalls.includes(id));
  const next =
    kind === 'order'
      ? planOrderInquiry(schedule, answer, isAnswered)
      : isOpen
        ? planRefundInquiry(schedule)
        : null;
  const reported = inquiry.claimed.unconfirmed;
  const isStillOpen = isOpen || answer === 'unknown';
  const unconfirmed =
    kind === 'order'
      ? listUnconfirmed(reported, answer, hasGivenBack)
      : isStillOpen
        ? reported
        : [];
  if (unconfirmed.length === 0) return { next, unconfirmed };
  const fast = planFastInquiry(schedule, { unconfirmed, fastStep }, next);
  return fast === null ? { next, unconfirmed } : { next: fast, unconfirmed: [] };
}

/** Returns whether the rail has yet to say how the inquired refund ended. */
function isRefundOpen({ claimed, calls }: Inquiry, { answeredCalls }: InquiryResult): boolean {
  const isAsked = calls.some(({ id, isAnswered }) => id === claimed.id && !isAnswered);
  return isAsked && answeredCalls.length === 0;
}
