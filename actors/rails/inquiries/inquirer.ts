// Look-ups at one rail: how an order stands, how a refund ended. Whatever set them off (their time, a callback, a lost
// answer), the result of a look-up is what payments are told, and nothing else is.
import { type Attempt, findAttempt, type PaymentState } from '#actors/core/payment/state.js';
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import { encodeCommand } from '#actors/core/payment/wire/command.js';
import { decodeRailCall } from '#actors/core/payment/wire/rail-call.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { parseOrderId } from '#actors/core/ids.js';
import { withDeadline } from '#ops/runtime/deadline.js';
import type { Log } from '#ops/runtime/log.js';
import type { Outage } from '#ops/runtime/retry-loop.js';
import type {
  ClaimedWatch,
  LookResult,
  NextLook,
  WatchTask,
} from '#store/postgres/rails/inquiries.js';
import type { Rail, RailOrder } from '../adapters/rail.js';
import { ADAPTER_LATE_MS } from '../calls/caller.js';
import { Lane } from '../calls/lane.js';
import { findContradictions } from './contradictions.js';
import { type Judgement, judgeOrder, judgeRefund, type OpenCall } from './inquiry-result.js';
import { nextLook, nextLookOfRefund, nextLookOfSettled } from './next-inquiry.js';
import { taskUnresolved } from './unresolved.js';

export interface WatcherParts {
  readonly rail: Rail;
  readonly slots: number;
  readonly timeoutMs: number;
  readonly scheduleS: readonly number[];
  claim: (limit: number) => Promise<ClaimedWatch[]>;
  /** Whether it was the latest. */
  record: (result: LookResult) => Promise<boolean>;
  send: (command: PaymentCommand) => void;
  onAnswer: (outcome: string, durationMs: number) => void;
  readonly giveUp: AbortSignal;
  readonly outage: Outage;
  readonly log: Log;
}

interface Look {
  readonly watch: ClaimedWatch;
  readonly state: PaymentState;
  readonly calls: readonly OpenCall[];
}
interface Looked {
  readonly result: string;
  readonly judgement: Judgement;
  readonly tasks: readonly WatchTask[];
}

const NOTHING: Judgement = { facts: [], doubts: [], answeredCalls: [] };
const NO_TASKS: Looked['tasks'] = [];

export function createWatcher(parts: WatcherParts): Lane<ClaimedWatch> {
  const { slots, claim, outage } = parts;
  return new Lane({
    slots,
    allow: (free) => free,
    claim,
    run: (watch) => run(parts, watch),
    outage,
  });
}

async function run(parts: WatcherParts, watch: ClaimedWatch): Promise<void> {
  try {
    const calls = watch.calls.map(({ id, request, isGivenUp }): OpenCall => ({
      id,
      call: decodeRailCall(request),
      isGivenUp,
    }));
    const look = { watch, state: decodeSnapshot(watch.snapshot), calls };
    const looked =
      watch.kind === 'order' ? await lookUp(parts, look) : await lookUpRefund(parts, look);
    await record(parts, look, looked);
  } catch (error) {
    parts.log.error({ err: error, watch: watch.id }, 'a look-up failed');
  }
}

async function lookUp(parts: WatcherParts, { watch, state, calls }: Look): Promise<Looked> {
  const orderId = parseOrderId(watch.id);
  const attempt = orderId && findAttempt(state, orderId);
  if (attempt === undefined) return { result: 'unknown', judgement: NOTHING, tasks: NO_TASKS };
  const order = orderOf(watch, state, attempt);
  const answer = await ask(parts, (signal) => parts.rail.lookUp(order, signal));
  const of = { state, orderId: attempt.orderId, calls, nowMs: Date.now() };
  const tasks =
    answer.result === 'settled'
      ? findContradictions(watch.told, state.request, answer.settlement)
      : NO_TASKS;
  return { result: answer.result, judgement: judgeOrder(of, answer), tasks };
}

function orderOf(watch: ClaimedWatch, state: PaymentState, attempt: Attempt): RailOrder {
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

async function lookUpRefund(parts: WatcherParts, { watch, state, calls }: Look): Promise<Looked> {
  const open = calls.find(({ id }) => id === watch.id);
  const call = open?.call;
  if (call?.operation !== 'refund') {
    return { result: 'answered', judgement: NOTHING, tasks: NO_TASKS };
  }
  const answer = await ask(parts, (signal) => parts.rail.lookUpRefund(call, signal));
  const judgement = judgeRefund(state, open, answer, Date.now());
  return { result: answer.result, judgement, tasks: NO_TASKS };
}

async function ask<Answer extends { readonly result: string }>(
  parts: WatcherParts,
  look: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer | { readonly result: 'unknown' }> {
  const { timeoutMs, giveUp, onAnswer, log } = parts;
  const beganMs = performance.now();
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), giveUp]);
  const answer = await withDeadline(look(signal), timeoutMs + ADAPTER_LATE_MS).catch(
    (error: unknown) => {
      log.error({ err: error, rail: parts.rail.name }, 'an adapter failed');
      return { result: 'unknown' } as const;
    },
  );
  onAnswer(answer.result, performance.now() - beganMs);
  return answer;
}

async function record(
  parts: WatcherParts,
  look: Look,
  { result, judgement, tasks }: Looked,
): Promise<void> {
  const { giveUp, outage, send } = parts;
  const { facts, doubts, answeredCalls } = judgement;
  const next = planNext(parts, look, result, judgement);
  const unresolved = next === null && isRefundOpen(look, judgement) ? taskUnresolved(look) : [];
  const isLatest = await outage.persist(giveUp, () =>
    parts.record({
      watch: look.watch,
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
  { scheduleS }: WatcherParts,
  { watch, calls }: Look,
  result: string,
  { facts, answeredCalls }: Judgement,
): NextLook | null {
  const { step, watchUntilMs } = watch;
  const look = { step, watchUntilMs, nowMs: Date.now(), scheduleS };
  if (watch.kind === 'refund') {
    return isRefundOpen({ watch, calls }, { answeredCalls }) ? nextLookOfRefund(look) : null;
  }
  if (result === 'settled' && facts.length > 0) return nextLookOfSettled(look);
  return result === 'reversed' ? null : nextLook(look);
}

/** Whether the rail has still to say how the refund of this watch ended. */
function isRefundOpen(
  { watch, calls }: Pick<Look, 'watch' | 'calls'>,
  { answeredCalls }: Pick<Judgement, 'answeredCalls'>,
): boolean {
  return calls.some(({ id }) => id === watch.id) && answeredCalls.length === 0;
}
