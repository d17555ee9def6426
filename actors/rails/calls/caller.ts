// Makes the calls of one operation at one rail: claims due calls, calls the rail once for each, records the answer, then
// sends the command that follows from it. serve-rails.ts names the states of a call.
import type { ChargeCall, RailCall } from '#actors/core/payment/rail-calls.js';
import { findLiveBlock } from '#actors/core/rails/live-gate.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import { encodeCommand } from '#actors/core/payment/wire/command.js';
import { decodeRailCall } from '#actors/core/payment/wire/rail-call.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import type { Clock } from '#ops/runtime/clock.js';
import { runWithSignal } from '#ops/runtime/deadline.js';
import type { Log } from '#ops/runtime/log.js';
import { RetryLoop } from '#ops/runtime/retry-loop.js';
import type { KillSwitches } from '#store/postgres/operations/kill-switches.js';
import {
  type CallOperation,
  type ClaimedCall,
  createCallTurns,
} from '#store/postgres/rails/claim-calls.js';
import type { CallAnswer, CallClaim } from '#store/postgres/rails/record-answers.js';
import type { Rail } from '../adapters/rail.js';
import type { CallStore } from './ports.js';
import type { CircuitBreaker } from '#ops/runtime/circuit-breaker.js';
import { type RailTracing, runTracedCall } from './rail-spans.js';
import { type RailWorker, startRailWorker } from './rail-worker.js';
import {
  callRail,
  type CallOutcome,
  isChargeWanted,
  buildUnknownOutcome,
  buildNotChargedOutcome,
  buildNotMadeOutcome,
  buildNotRefundedOutcome,
  isRefundWanted,
  findInquiryId,
} from './call-rail.js';

/** An adapter that ignores its signal is given up this long after its time-out. */
export const ADAPTER_LATE_MS = 1_000;
/** For the statement that records the answer. */
export const RECORD_MS = 5_000;
/** After a lost answer: the rail gets a moment before the first status inquiry. */
const FIRST_INQUIRY_MS = 500;

/** Shared by all calls and status inquiries of the process. */
export interface RailCallDeps {
  readonly store: CallStore;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Seconds between status inquiries; the first entry follows an accepted charge. */
  readonly scheduleS: readonly number[];
  readonly isOn: KillSwitches['isOn'];
  readonly send: (command: PaymentCommand) => void;
  readonly onAnswer: (rail: string, operation: string, outcome: string, durationMs: number) => void;
  /** Aborted when the process can wait no longer: the outcome of calls under way is then unknown. */
  readonly giveUp: AbortSignal;
  readonly log: Log;
  /** undefined: traces are off. */
  readonly tracing?: RailTracing | undefined;
}

export interface CallerOptions {
  readonly rail: Rail;
  readonly operation: CallOperation;
  readonly slots: number;
  readonly breaker: CircuitBreaker;
  /** Resolves to whether the answer was the first. */
  readonly recordAnswer: (answer: CallAnswer) => Promise<boolean>;
  /** Called with the milliseconds until a status inquiry is due at the rail. */
  readonly onInquiryDue: (inMs: number) => void;
}

interface Caller extends RailCallDeps, CallerOptions {
  readonly retryLoop: RetryLoop;
}

export function startCaller(deps: RailCallDeps, options: CallerOptions): RailWorker {
  const { store, clock, timeoutMs, log } = deps;
  const { rail, operation, slots, breaker } = options;
  const name = `${operation}s at ${rail.name}`;
  const retryLoop = new RetryLoop(log, `recording of ${name}`, clock);
  const caller = { ...deps, ...options, retryLoop };
  const answerMs = timeoutMs + ADAPTER_LATE_MS + RECORD_MS;
  const turns = createCallTurns({ rail: rail.name, operation });
  const queue = { rail: rail.name, operation, openMs: listOpenMs(rail), turns };
  return startRailWorker({
    name,
    slots,
    // Closes and refunds wait until the rail answers again; charges are refused meanwhile.
    allow: (free) =>
      operation === 'charge' ? free : breaker.countAllowed(free, clock.monotonicMs()),
    claim: async (limit) => {
      const claimedMs = clock.monotonicMs();
      const calls = await store.claimCalls(queue, limit, answerMs);
      return calls.map((claimed) => ({ claimed, claimedMs }));
    },
    run: ({ claimed, claimedMs }) => beginCall(caller, claimed, claimedMs),
    clock,
    log,
  });
}

/** Orders of the other methods expire when the charge says. */
function listOpenMs({ capabilities }: Rail): Readonly<Record<string, number>> {
  const methods = Object.entries(capabilities.methods);
  return Object.fromEntries(
    methods
      .filter(([, { takesExpiry }]) => !takesExpiry)
      .map(([method, { maxExpiresInS }]) => [method, maxExpiresInS * 1000]),
  );
}

function beginCall(caller: Caller, claimed: ClaimedCall, claimedMs: number): Promise<void> {
  const { tracing, rail, operation } = caller;
  const run = (): Promise<void> => runCall(caller, claimed, claimedMs);
  if (tracing === undefined) return run();
  return runTracedCall(tracing.tracer, { rail: rail.name, operation }, claimed, run);
}

async function runCall(caller: Caller, claimed: ClaimedCall, claimedMs: number): Promise<void> {
  const { id, request, snapshot, takesPayments, isDoubtful, sentAt } = claimed;
  const claim = { callId: id, sentAt, claimedMs };
  try {
    const call = decodeRailCall(request);
    const state = decodeSnapshot(snapshot);
    const calledFor = { state, takesPayments, claim };
    const doubt = isDoubtful ? await doubtCall(caller, call, claim) : undefined;
    const outcome = doubt ?? (await makeCall(caller, call, calledFor));
    await recordOutcome(caller, call, { outcome, claim });
  } catch (error) {
    caller.log.error(
      { err: error, call: id },
      'a call to a rail failed; status inquiries follow it',
    );
  }
}

interface Claim extends CallClaim {
  /** By the monotonic clock, before the statement that claims: the process may have been paused during it. */
  readonly claimedMs: number;
}

/** The payment of a call, as it was when the call was claimed. */
interface CalledFor {
  readonly state: PaymentState;
  readonly takesPayments: boolean;
  readonly claim: Claim;
}

/**
 * The outcome of a call that may have been made, and its claim lost: status inquiries find out what became of it. A repeat is
 * made only when the rail recognises it; a single "not found" is no proof that there was no call. undefined: make it.
 */
async function doubtCall(
  { store, rail }: Caller,
  call: RailCall,
  claim: Claim,
): Promise<CallOutcome | undefined> {
  if (call.operation === 'close') return undefined;
  if (call.operation === 'refund') {
    if (rail.capabilities.refundKeyMs !== null) return undefined;
    // Else the refund would be made again by `repeatUnbegunRefund`.
    await store.beginRefund(claim);
  }
  return buildUnknownOutcome(call);
}

async function makeCall(
  caller: Caller,
  call: RailCall,
  calledFor: CalledFor,
): Promise<CallOutcome> {
  const { breaker, rail, operation, onAnswer, clock } = caller;
  // A process that was paused for so long must not begin: its call would end after another one has inquired and decided.
  if (clock.monotonicMs() - calledFor.claim.claimedMs > RECORD_MS) return buildNotMadeOutcome(call);
  if (call.operation === 'refund' && !isRefundWanted(calledFor.state, call))
    return buildNotRefundedOutcome(call);
  if (call.operation !== 'charge') breaker.tryBegin(clock.monotonicMs());
  else if (!canCharge(caller, call, calledFor)) return buildNotChargedOutcome(call);
  const beganMs = clock.monotonicMs();
  const outcome = await callWithDeadline(caller, call, calledFor);
  const endedMs = clock.monotonicMs();
  // A refusal is an answer.
  if (isSilent(outcome)) breaker.fail(beganMs, endedMs);
  else breaker.succeed();
  onAnswer(rail.name, operation, nameOutcome(outcome), endedMs - beganMs);
  return outcome;
}

/**
 * Only a charge may be skipped: the payment then tries another rail, or fails. The LIVE gate is asked again, because the
 * gateway may have asked it minutes ago.
 */
function canCharge(
  { breaker, rail, isOn, clock }: Caller,
  call: ChargeCall,
  { state, takesPayments }: Omit<CalledFor, 'claim'>,
): boolean {
  const { environment, request } = state;
  const methods = [request.paymentMethod, call.method];
  const charge = { environment, takesPayments, methods, rail: rail.name };
  const isAllowed = findLiveBlock(charge, isOn) === null;
  return (
    isAllowed && isChargeWanted(state, call, clock.nowMs()) && breaker.tryBegin(clock.monotonicMs())
  );
}

async function callWithDeadline(
  { store, rail, timeoutMs, giveUp, clock, log }: Caller,
  call: RailCall,
  { state, claim }: CalledFor,
): Promise<CallOutcome> {
  // A process that was paused for longer than a call takes must not begin: the refund may have ended meanwhile.
  const begin = async (): Promise<boolean> =>
    clock.monotonicMs() - claim.claimedMs < timeoutMs && (await store.beginRefund(claim));
  try {
    const limits = { timeoutMs, lateMs: ADAPTER_LATE_MS, giveUp, clock };
    return await runWithSignal(limits, (signal) => callRail(rail, call, state, { signal, begin }));
  } catch (error) {
    log.error({ err: error, call: call.id, rail: rail.name }, 'the adapter of a rail failed');
    return buildUnknownOutcome(call);
  }
}

/** Retries until Postgres has stored the outcome: until then the call counts as sent, and no process makes it again. */
async function recordOutcome(
  caller: Caller,
  call: RailCall,
  { outcome, claim }: { readonly outcome: CallOutcome; readonly claim: Claim },
): Promise<void> {
  const { store, scheduleS, giveUp, retryLoop, recordAnswer, send, onInquiryDue } = caller;
  const inquiryId = findInquiryId(call);
  const firstInquiryMs = Number(scheduleS[0]) * 1000;
  if (outcome.kind === 'answered') {
    const { command, isInquired } = outcome;
    const inquireInMs = isInquired ? firstInquiryMs : null;
    const reference = findRailReference(command);
    const stored = { callId: call.id, command: encodeCommand(command), inquiryId };
    const answer = { ...stored, inquireInMs, reference };
    if (await retryLoop.retry(giveUp, () => recordAnswer(answer))) send(command);
    return;
  }
  if (outcome.kind === 'unsent') {
    const unsent = { ...claim, inquiryId, dueInMs: firstInquiryMs };
    await retryLoop.retry(giveUp, () => store.recordUnsent(unsent));
    send(outcome.command);
    return;
  }
  const { isUnknown, unusable } = outcome;
  const inquireInMs = isUnknown || unusable !== undefined ? FIRST_INQUIRY_MS : firstInquiryMs;
  const unknown = { callId: call.id, inquiryId, inquireInMs, reference: unusable ?? null };
  await retryLoop.retry(giveUp, () => store.recordUnknown(unknown));
  if (outcome.command !== null) send(outcome.command);
  onInquiryDue(inquireInMs);
}

/** The rail's own id of an order that it has accepted. */
function findRailReference(command: PaymentCommand): string | null {
  if (command.type !== 'charge_answered' || command.answer.result !== 'accepted') return null;
  return command.answer.railReference;
}

/** The rail gave no answer that shows that it works. */
function isSilent(outcome: CallOutcome): boolean {
  if (outcome.kind === 'unsent') return true;
  if (outcome.kind === 'answered') return outcome.isUnreachable === true;
  return outcome.isUnknown && outcome.isAbsent !== true;
}

/** The result's own name, as a metric label. */
function nameOutcome(outcome: CallOutcome): string {
  const { kind, command } = outcome;
  if (kind === 'open' && outcome.unusable !== undefined) return 'unusable';
  if (kind === 'unsent' || (kind === 'answered' && outcome.isUnreachable)) return 'not_sent';
  return command !== null && 'answer' in command ? command.answer.result : 'unknown';
}
