// The steps of one payout.
//
//   PENDING ──claim──▶ PROCESSING ──the one call──▶ COMPLETED, FAILED, or still PROCESSING
//   PROCESSING, COMPLETED ──inquiry, numbered──▶ the same, COMPLETED, FAILED or REVERSED
//
//   PENDING     Any process may claim it. The claim commits PROCESSING and the rail before the rail is called.
//   PROCESSING  Only the process that claimed it may pay, and only right after the claim. Every other process, and this
//               one after a crash, only inquires, so nothing is paid twice. During the call the payout is not due.
//   COMPLETED   Inquiries go on for a while: a bank may send the money back.
//   FAILED      Inquiries go on for as long if an administrator failed it: its rail may have paid.
//
// A callback leads to an inquiry in every status. A result that contradicts the status is a task.
// An unknown answer changes nothing; the rail is asked again later. overdue-payouts.ts opens a task after a day.
import type { LaterCommand } from '#actors/core/payout/commands.js';
import { findNextInquiryInMs } from '#actors/core/payout/schedule.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import type { PayoutAnswer, PayoutOrder } from '#actors/core/rails/answers.js';
import { type AppliedCommand, applyCommand } from '#store/postgres/payouts/apply-command.js';
import { beginInquiry, deferInquiry, type DuePayout } from '#store/postgres/payouts/due-payouts.js';
import type { Postgres } from '#store/postgres/client.js';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { runWithSignal } from '#ops/runtime/deadline.js';
import type { Log } from '#ops/runtime/log.js';
import type { Rail } from '../adapters/rail.js';
import { ADAPTER_LATE_MS } from '../calls/caller.js';
import type { PayingRail } from './payout-rails.js';

/** After the longest call: the time to store its answer, before an inquiry is due. */
const ANSWER_LEASE_MS = 5_000;
const SANDBOX_LEASE_MS = 2_000;

export interface PayoutDeps {
  readonly sql: Postgres;
  /** The time-out of one call. */
  readonly timeoutMs: number;
  /** Delays between status inquiries. */
  readonly stepsMs: readonly number[];
  /** Aborted when calls under way must end. */
  readonly giveUp: AbortSignal;
  readonly log: Log;
  readonly onAnswer: (
    rail: string,
    operation: Operation,
    outcome: PayoutAnswer['result'],
    durationMs: number,
  ) => void;
}

type Operation = 'payout' | 'payout_look_up';

/** Claimed by this process just now. */
export interface ClaimedPayout extends PayingRail {
  readonly state: PayoutState;
  readonly inquiries: number;
}

/** undefined: this process must not pay it. */
export async function claimPayout(
  deps: PayoutDeps,
  { state: before, inquiries }: DuePayout,
  { rail, breaker }: PayingRail,
): Promise<ClaimedPayout | undefined> {
  const command = { type: 'send', rail: rail.name } as const;
  const beganAtMs = performance.now();
  const { outcome, state } = await apply(deps, before, command, {
    dueInMs: () => computeLeaseMs(deps, rail),
    inquiry: inquiries,
  });
  if (outcome !== 'done' || state === undefined) return undefined;
  const nowMs = performance.now();
  // A process that was paused for so long must not pay: another one may have inquired and decided meanwhile.
  if (nowMs - beganAtMs > ANSWER_LEASE_MS) return undefined;
  // Only now: a claim that another process wins must not count as the probe. This one is called even if the circuit breaker
  // has opened meanwhile, since it is never sent again.
  breaker?.tryBegin(nowMs);
  return { state, inquiries, rail, breaker };
}

/** Calls the rail, once. */
export async function payClaimed(
  deps: PayoutDeps,
  { state, inquiries, rail, breaker }: ClaimedPayout,
): Promise<void> {
  const beganMs = performance.now();
  const answer = await callRail(deps, rail, { operation: 'payout', state });
  // A refusal is an answer.
  if (answer.result === 'unknown') breaker?.fail(beganMs, performance.now());
  else breaker?.succeed();
  await applyAnswer(deps, state, { answer, inquiries, inquiry: undefined, calledBackAtMs: null });
}

/** Hands the payout to an administrator: no rail pays out. */
export async function requireManual(deps: PayoutDeps, { state }: DuePayout): Promise<void> {
  await apply(deps, state, { type: 'make_manual' }, { dueInMs: () => null });
}

/** Asks the rail for the payout's outcome. */
export async function inquirePayout(deps: PayoutDeps, due: DuePayout, rail: Rail): Promise<void> {
  const inquiry = await beginInquiry(deps.sql, due, computeLeaseMs(deps, rail));
  if (inquiry === undefined) return;
  const answer = await callRail(deps, rail, { operation: 'payout_look_up', state: due.state });
  const { calledBackAtMs } = due;
  await applyAnswer(deps, due.state, { answer, inquiries: inquiry, inquiry, calledBackAtMs });
}

interface PayoutReply {
  readonly answer: PayoutAnswer;
  readonly inquiries: number;
  /** The number of the inquiry that got the answer; undefined: the payout's own call got it. */
  readonly inquiry: number | undefined;
  readonly calledBackAtMs: number | null;
}

async function applyAnswer(
  deps: PayoutDeps,
  before: PayoutState,
  { answer, inquiries, inquiry, calledBackAtMs }: PayoutReply,
): Promise<void> {
  const plan = () => ({ nowMs: Date.now(), inquiries, stepsMs: deps.stepsMs });
  const dueInMs = (state: PayoutState): number | null => findNextInquiryInMs(state, plan());
  const timing = { dueInMs, ...(inquiry === undefined ? {} : { inquiry }) };
  const { outcome, state } = await apply(deps, before, { type: 'answer', answer }, timing);
  if (outcome !== 'unchanged' || state === undefined) return;
  const isUnknown = answer.result === 'unknown';
  const nextInMs = findNextInquiryInMs(state, { ...plan(), calledBackAtMs });
  await deferInquiry(deps.sql, state, { inquiry: inquiries, dueInMs: nextInMs, isUnknown });
}

type Timing = Pick<Parameters<typeof applyCommand>[3], 'dueInMs' | 'inquiry'>;

function apply(
  { sql }: PayoutDeps,
  { id }: PayoutState,
  command: LaterCommand,
  timing: Timing,
): Promise<AppliedCommand> {
  return applyCommand(sql, id, command, { nowMs: Date.now(), ...timing });
}

function computeLeaseMs({ timeoutMs }: PayoutDeps, { name }: Rail): number {
  return name === 'sandbox' ? SANDBOX_LEASE_MS : timeoutMs + ANSWER_LEASE_MS;
}

interface PayoutCall {
  readonly operation: Operation;
  readonly state: PayoutState;
}

/** An adapter that rejects is a bug; like a time-out it leaves the outcome unknown. */
async function callRail(
  { timeoutMs, giveUp, log, onAnswer }: PayoutDeps,
  rail: Rail,
  { operation, state }: PayoutCall,
): Promise<PayoutAnswer> {
  const order = buildPayoutOrder(state);
  const beganAtMs = performance.now();
  let answer: PayoutAnswer = { result: 'unknown' };
  try {
    const limits = { timeoutMs, lateMs: ADAPTER_LATE_MS, giveUp, clock: SYSTEM_CLOCK };
    answer = await runWithSignal(limits, (signal) =>
      operation === 'payout' ? rail.payOut(order, signal) : rail.inquirePayout(order, signal),
    );
  } catch (error) {
    log.error({ err: error, rail: rail.name, payout: state.id }, 'the adapter of a rail failed');
  }
  onAnswer(rail.name, operation, answer.result, performance.now() - beganAtMs);
  return answer;
}

export function buildPayoutOrder({ id, request, railReference }: PayoutState): PayoutOrder {
  const { amountMinor, currency, bankCode, accountNumber, accountHolder, description } = request;
  const account = { bankCode, accountNumber, accountHolder };
  return { payoutId: id, amountMinor, currency, ...account, description, railReference };
}
