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
import { withDeadline } from '#ops/runtime/deadline.js';
import type { Log } from '#ops/runtime/log.js';
import type { Outage } from '#ops/runtime/outage.js';
import type { CallOperation, ClaimedCall } from '#store/postgres/rails/claim-calls.js';
import type { CallAnswer } from '#store/postgres/rails/record-answers.js';
import type { Rail } from '../adapters/rail.js';
import type { Circuit } from '../circuit.js';
import { Lane } from '../lane.js';
import {
  askRail,
  type CallOutcome,
  isChargeWanted,
  outcomeUnknown,
  notCharged,
  watchIdOf,
} from './prepare-call.js';

/** Beyond its own time-out a call is given up, whatever its adapter does. */
export const ADAPTER_LATE_MS = 1_000;
/** After a lost answer the rail gets a moment, then it is looked up. */
const FIRST_LOOK_MS = 500;

export interface CallerParts {
  readonly rail: Rail;
  readonly operation: CallOperation;
  readonly slots: number;
  readonly timeoutMs: number;
  /** Until the first look-up of what the rail accepted. */
  readonly firstLookMs: number;
  readonly circuit: Circuit;
  /** Whether operators let the rail take charges. */
  isSwitchedOn: () => boolean;
  claim: (limit: number) => Promise<ClaimedCall[]>;
  /** Whether the answer was the first. */
  recordAnswer: (answer: CallAnswer) => Promise<boolean>;
  recordUnknown: (callId: string, watchId: string, lookInMs: number) => Promise<void>;
  send: (command: PaymentCommand) => void;
  onLookDue: () => void;
  onAnswer: (outcome: string, durationMs: number) => void;
  /** Aborted when the process can wait no longer: what is under way then is unknown. */
  readonly giveUp: AbortSignal;
  readonly outage: Outage;
  readonly log: Log;
}

export function createCaller(parts: CallerParts): Lane<ClaimedCall> {
  const { slots, claim, outage, operation, circuit } = parts;
  return new Lane({
    slots,
    // Closes and refunds wait until the rail answers again; charges are refused meanwhile.
    allow: (free) => (operation === 'charge' ? free : circuit.allow(free)),
    claim,
    run: (claimed) => run(parts, claimed),
    outage,
  });
}

async function run(parts: CallerParts, { id, request, snapshot }: ClaimedCall): Promise<void> {
  try {
    const call = decodeRailCall(request);
    await record(parts, call, await make(parts, call, decodeSnapshot(snapshot)));
  } catch (error) {
    parts.log.error({ err: error, call: id }, 'a call to a rail failed');
  }
}

async function make(parts: CallerParts, call: RailCall, state: PaymentState): Promise<CallOutcome> {
  const { circuit, onAnswer } = parts;
  if (call.operation !== 'charge') circuit.take();
  else if (!mayCharge(parts, call, state)) return notCharged(call);
  const beganMs = performance.now();
  const outcome = await ask(parts, call, state);
  const isUnknown = outcome.kind === 'open' && outcome.isUnknown;
  if (isUnknown) circuit.fail();
  else circuit.succeed();
  onAnswer(nameOutcome(outcome), performance.now() - beganMs);
  return outcome;
}

/** Only a charge may be left out: it was never sent, so another rail may be asked. */
function mayCharge(parts: CallerParts, call: ChargeCall, state: PaymentState): boolean {
  return isChargeWanted(state, call, Date.now()) && parts.isSwitchedOn() && parts.circuit.take();
}

async function ask(parts: CallerParts, call: RailCall, state: PaymentState): Promise<CallOutcome> {
  const { rail, timeoutMs, giveUp, log } = parts;
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), giveUp]);
  try {
    return await withDeadline(askRail(rail, call, state, signal), timeoutMs + ADAPTER_LATE_MS);
  } catch (error) {
    log.error({ err: error, call: call.id, rail: rail.name }, 'an adapter failed');
    return outcomeUnknown(call);
  }
}

/** Tries until the database takes it: until then the call counts as under way, and nobody makes it again. */
async function record(parts: CallerParts, call: RailCall, outcome: CallOutcome): Promise<void> {
  const { firstLookMs, giveUp, outage, send, onLookDue } = parts;
  const watchId = watchIdOf(call);
  if (outcome.kind === 'answered') {
    const { command, isWatched } = outcome;
    const lookInMs = isWatched ? firstLookMs : null;
    const answer = { callId: call.id, command: encodeCommand(command), watchId, lookInMs };
    if (await outage.persist(giveUp, () => parts.recordAnswer(answer))) send(command);
    return;
  }
  const lookInMs = outcome.isUnknown ? FIRST_LOOK_MS : firstLookMs;
  await outage.persist(giveUp, () => parts.recordUnknown(call.id, watchId, lookInMs));
  if (outcome.command !== null) send(outcome.command);
  setTimeout(onLookDue, lookInMs).unref();
}

/** The answer's own word for it. */
function nameOutcome({ command }: CallOutcome): string {
  return command !== null && 'answer' in command ? command.answer.result : 'unknown';
}
