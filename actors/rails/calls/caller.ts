// Calls of one operation at one rail.
//
//   due ──claimed──▶ sent ──the rail is called──▶ answered, with its command ──▶ command sent
//                     └── no answer: look-ups (watch/), never a second call
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import type { ChargeCall, RailCall } from '#actors/core/payment/rail-calls.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import { encodeCommand } from '#actors/core/payment/wire/command.js';
import { decodeRailCall } from '#actors/core/payment/wire/rail-call.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { runWithDeadline } from '#ops/runtime/deadline.js';
import type { Log } from '#ops/runtime/log.js';
import type { RetryLoop } from '#ops/runtime/retry-loop.js';
import type { CallOperation, ClaimedCall } from '#store/postgres/rails/claim-calls.js';
import type { CallAnswer } from '#store/postgres/rails/record-answers.js';
import type { Rail } from '../adapters/rail.js';
import type { Circuit } from './circuit.js';
import { Lane } from './lane.js';
import {
  callRail,
  type CallOutcome,
  isChargeWanted,
  buildUnknownOutcome,
  buildNotChargedOutcome,
  findInquiryId,
} from './call-rail.js';

/** Beyond its own time-out a call is given up, whatever its adapter does. */
export const ADAPTER_LATE_MS = 1_000;
/** After a lost answer the rail gets a moment, then it is looked up. */
const FIRST_LOOK_MS = 500;

export interface CallerDeps {
  readonly rail: Rail;
  readonly operation: CallOperation;
  readonly slots: number;
  readonly timeoutMs: number;
  /** Until the first look-up of what the rail accepted. */
  readonly firstInquiryMs: number;
  readonly circuit: Circuit;
  /** Whether operators let the rail take charges. */
  isSwitchedOn: () => boolean;
  claim: (limit: number) => Promise<ClaimedCall[]>;
  /** Whether the answer was the first. */
  recordAnswer: (answer: CallAnswer) => Promise<boolean>;
  recordUnknown: (callId: string, inquiryId: string, inquireInMs: number) => Promise<void>;
  send: (command: PaymentCommand) => void;
  onInquiryDue: () => void;
  onAnswer: (outcome: string, durationMs: number) => void;
  /** Aborted when the process can wait no longer: what is under way then is unknown. */
  readonly giveUp: AbortSignal;
  readonly retryLoop: RetryLoop;
  readonly log: Log;
}

export function createCaller(parts: CallerDeps): Lane<ClaimedCall> {
  const { slots, claim, retryLoop, operation, circuit } = parts;
  return new Lane({
    slots,
    // Closes and refunds wait until the rail answers again; charges are refused meanwhile.
    allow: (free) => (operation === 'charge' ? free : circuit.countAllowed(free)),
    claim,
    run: (claimed) => runCall(parts, claimed),
    retryLoop,
  });
}

async function runCall(parts: CallerDeps, { id, request, snapshot }: ClaimedCall): Promise<void> {
  try {
    const call = decodeRailCall(request);
    await record(parts, call, await makeCall(parts, call, decodeSnapshot(snapshot)));
  } catch (error) {
    parts.log.error({ err: error, call: id }, 'a call to a rail failed');
  }
}

async function makeCall(
  parts: CallerDeps,
  call: RailCall,
  state: PaymentState,
): Promise<CallOutcome> {
  const { circuit, onAnswer } = parts;
  if (call.operation !== 'charge') circuit.take();
  else if (!canCharge(parts, call, state)) return buildNotChargedOutcome(call);
  const beganMs = performance.now();
  const outcome = await ask(parts, call, state);
  const isUnknown = outcome.kind === 'open' && outcome.isUnknown;
  if (isUnknown) circuit.fail();
  else circuit.succeed();
  onAnswer(nameOutcome(outcome), performance.now() - beganMs);
  return outcome;
}

/** Only a charge may be left out: it was never sent, so another rail may be asked. */
function canCharge(parts: CallerDeps, call: ChargeCall, state: PaymentState): boolean {
  return isChargeWanted(state, call, Date.now()) && parts.isSwitchedOn() && parts.circuit.take();
}

async function ask(parts: CallerDeps, call: RailCall, state: PaymentState): Promise<CallOutcome> {
  const { rail, timeoutMs, giveUp, log } = parts;
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), giveUp]);
  try {
    return await runWithDeadline(callRail(rail, call, state, signal), timeoutMs + ADAPTER_LATE_MS);
  } catch (error) {
    log.error({ err: error, call: call.id, rail: rail.name }, 'an adapter failed');
    return buildUnknownOutcome(call);
  }
}

/** Tries until the database takes it: until then the call counts as under way, and nobody makes it again. */
async function record(parts: CallerDeps, call: RailCall, outcome: CallOutcome): Promise<void> {
  const { firstInquiryMs, giveUp, retryLoop, send, onInquiryDue } = parts;
  const inquiryId = findInquiryId(call);
  if (outcome.kind === 'answered') {
    const { command, isWatched } = outcome;
    const inquireInMs = isWatched ? firstInquiryMs : null;
    const answer = { callId: call.id, command: encodeCommand(command), inquiryId, inquireInMs };
    if (await retryLoop.retry(giveUp, () => parts.recordAnswer(answer))) send(command);
    return;
  }
  const inquireInMs = outcome.isUnknown ? FIRST_LOOK_MS : firstInquiryMs;
  await retryLoop.retry(giveUp, () => parts.recordUnknown(call.id, inquiryId, inquireInMs));
  if (outcome.command !== null) send(outcome.command);
  setTimeout(onInquiryDue, inquireInMs).unref();
}

/** The answer's own word for it. */
function nameOutcome({ command }: CallOutcome): string {
  return command !== null && 'answer' in command ? command.answer.result : 'unknown';
}
