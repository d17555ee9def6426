// Look-ups at one rail: how an order stands, how a refund ended. Whatever set them off (their time, a callback, a lost
// answer), the result of a look-up is what payments are told, and nothing else is.
import { type Attempt, findAttempt, type PaymentState } from '#actors/core/payment/state.js';
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import { encodeCommand } from '#actors/core/payment/wire/command.js';
import { decodeRailCall } from '#actors/core/payment/wire/rail-call.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { parseOrderId } from '#actors/core/ids.js';
import { runWithDeadline } from '#ops/runtime/deadline.js';
import type { Log } from '#ops/runtime/log.js';
import type { RetryLoop } from '#ops/runtime/retry-loop.js';
import type {
  ClaimedInquiry,
  RecordedInquiry,
  NextInquiry,
  InquiryTask,
} from '#store/postgres/rails/inquiries.js';
import type { Rail, RailOrder } from '../adapters/rail.js';
import { ADAPTER_LATE_MS } from '../calls/caller.js';
import { Lane } from '../calls/lane.js';
import { listContradictions } from './contradictions.js';
import {
  type InquiryResult,
  interpretOrderAnswer,
  interpretRefundAnswer,
  type OpenCall,
} from './inquiry-result.js';
import { planNextInquiry, planRefundInquiry, planAfterSettlement } from './next-inquiry.js';
import { buildUnresolvedTasks } from './unresolved-refund.js';

export interface InquirerDeps {
  readonly rail: Rail;
  readonly slots: number;
  readonly timeoutMs: number;
  readonly scheduleS: readonly number[];
  claim: (limit: number) => Promise<ClaimedInquiry[]>;
  /** Whether it was the latest. */
  record: (result: RecordedInquiry) => Promise<boolean>;
  send: (command: PaymentCommand) => void;
  onAnswer: (outcome: string, durationMs: number) => void;
  readonly giveUp: AbortSignal;
  readonly retryLoop: RetryLoop;
  readonly log: Log;
}

interface Inquiry {
  readonly claimed: ClaimedInquiry;
  readonly state: PaymentState;
  readonly calls: readonly OpenCall[];
}
interface InquiryOutcome {
  readonly result: string;
  readonly interpretation: InquiryResult;
  readonly tasks: readonly InquiryTask[];
}

const NOTHING: InquiryResult = { facts: [], doubts: [], answeredCalls: [] };
const NO_TASKS: InquiryOutcome['tasks'] = [];

export function createInquirer(parts: InquirerDeps): Lane<ClaimedInquiry> {
  const { slots, claim, retryLoop } = parts;
  return new Lane({
    slots,
    allow: (free) => free,
    claim,
    run: (watch) => runInquiry(parts, watch),
    retryLoop,
  });
}

async function runInquiry(parts: InquirerDeps, watch: ClaimedInquiry): Promise<void> {
  try {
    const calls = watch.calls.map(({ id, request, isGivenUp }): OpenCall => ({
      id,
      call: decodeRailCall(request),
      isGivenUp,
    }));
    const look = { claimed: watch, state: decodeSnapshot(watch.snapshot), calls };
    const looked =
      watch.kind === 'order' ? await inquirePayment(parts, look) : await inquireRefund(parts, look);
    await recordInquiry(parts, look, looked);
  } catch (error) {
    parts.log.error({ err: error, watch: watch.id }, 'a look-up failed');
  }
}

async function inquirePayment(
  parts: InquirerDeps,
  { claimed, state, calls }: Inquiry,
): Promise<InquiryOutcome> {
  const orderId = parseOrderId(claimed.id);
  const attempt = orderId && findAttempt(state, orderId);
  if (attempt === undefined) return { result: 'unknown', interpretation: NOTHING, tasks: NO_TASKS };
  const order = buildOrder(claimed, state, attempt);
  const answer = await askRail(parts, (signal) => parts.rail.inquirePayment(order, signal));
  const of = { state, orderId: attempt.orderId, calls, nowMs: Date.now() };
  const tasks =
    answer.result === 'settled'
      ? listContradictions(claimed.told, state.request, answer.settlement)
      : NO_TASKS;
  return { result: answer.result, interpretation: interpretOrderAnswer(of, answer), tasks };
}

function buildOrder(watch: ClaimedInquiry, state: PaymentState, attempt: Attempt): RailOrder {
  const { orderId, method } = attempt;
  const { amountMinor, currency } = state.request;
  const { capture } = state;
  return {
    orderId,
    railReference: attempt.railReference ?? watch.reference,
    bookedTransactionId: capture?.orderId === orderId ? capture.railTransactionId : null,
    method,
    amountMinor,
    currency,
  };
}

async function inquireRefund(
  parts: InquirerDeps,
  { claimed, state, calls }: Inquiry,
): Promise<InquiryOutcome> {
  const open = calls.find(({ id }) => id === claimed.id);
  const call = open?.call;
  if (call?.operation !== 'refund') {
    return { result: 'answered', interpretation: NOTHING, tasks: NO_TASKS };
  }
  const answer = await askRail(parts, (signal) => parts.rail.inquireRefund(call, signal));
  const judgement = interpretRefundAnswer(state, open, answer, Date.now());
  return { result: answer.result, interpretation: judgement, tasks: NO_TASKS };
}

async function askRail<Answer extends { readonly result: string }>(
  parts: InquirerDeps,
  look: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer | { readonly result: 'unknown' }> {
  const { timeoutMs, giveUp, onAnswer, log } = parts;
  const beganMs = performance.now();
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), giveUp]);
  const answer = await runWithDeadline(look(signal), timeoutMs + ADAPTER_LATE_MS).catch(
    (error: unknown) => {
      log.error({ err: error, rail: parts.rail.name }, 'an adapter failed');
      return { result: 'unknown' } as const;
    },
  );
  onAnswer(answer.result, performance.now() - beganMs);
  return answer;
}

async function recordInquiry(
  parts: InquirerDeps,
  look: Inquiry,
  { result, interpretation, tasks }: InquiryOutcome,
): Promise<void> {
  const { giveUp, retryLoop, send } = parts;
  const { facts, doubts, answeredCalls } = interpretation;
  const next = planNext(parts, look, result, interpretation);
  const unresolved =
    next === null && isRefundOpen(look, interpretation) ? buildUnresolvedTasks(look) : [];
  const isLatest = await retryLoop.retry(giveUp, () =>
    parts.record({
      inquiry: look.claimed,
      paymentId: look.state.id,
      next,
      answeredCalls,
      commands: facts.map(encodeCommand),
      tasks: [...tasks, ...unresolved],
    }),
  );
  if (isLatest !== true) return;
  for (const command of [...facts, ...doubts]) send(command);
}

function planNext(
  { scheduleS }: InquirerDeps,
  { claimed, calls }: Inquiry,
  result: string,
  { facts, answeredCalls }: InquiryResult,
): NextInquiry | null {
  const { step, watchUntilMs: inquireUntilMs } = claimed;
  const look = { step, inquireUntilMs, nowMs: Date.now(), scheduleS };
  if (claimed.kind === 'refund') {
    return isRefundOpen({ claimed, calls }, { answeredCalls }) ? planRefundInquiry(look) : null;
  }
  if (result === 'settled' && facts.length > 0) return planAfterSettlement(look);
  return result === 'reversed' ? null : planNextInquiry(look);
}

/** Whether the rail has still to say how the refund of this watch ended. */
function isRefundOpen(
  { claimed, calls }: Pick<Inquiry, 'claimed' | 'calls'>,
  { answeredCalls }: Pick<InquiryResult, 'answeredCalls'>,
): boolean {
  return calls.some(({ id }) => id === claimed.id) && answeredCalls.length === 0;
}
