// What is done for one payout.
//
//   PENDING ──claim: PROCESSING and the rail, committed──▶ the one call ──its answer──▶ …
//   PROCESSING, COMPLETED ──a look-up is begun, numbered──▶ the look-up ──its answer──▶ …
//
// Only who has claimed a payout calls, and only right after it: whoever else finds PROCESSING, another process or
// this one after a crash, asks what became of it and never pays. While a call is under way its payout is not due,
// so nobody looks it up without need. What the rail does not say leaves everything as it is, until it is asked again.
import type { LaterCommand } from '#actors/core/payout/commands.js';
import { isUnresolvedDue, findNextInquiryInMs } from '#actors/core/payout/schedule.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import type { PayoutAnswer, PayoutOrder } from '#actors/core/rails/answers.js';
import { type AppliedCommand, applyCommand } from '#store/postgres/payouts/apply-command.js';
import { beginInquiry, deferInquiry, type DuePayout } from '#store/postgres/payouts/due-payouts.js';
import type { Postgres } from '#store/postgres/client.js';
import { runWithDeadline } from '#ops/runtime/deadline.js';
import type { Log } from '#ops/runtime/log.js';
import type { Rail } from '../adapters/rail.js';

/** Beyond the database's own bound on a statement. */
const STATEMENT_DEADLINE_MS = 10_000;
/** After the longest call, before its payout is looked up: for its answer to be stored. */
const ANSWER_LEASE_MS = 5_000;
const SANDBOX_LEASE_MS = 2_000;

export interface PayoutDeps {
  readonly sql: Postgres;
  /** The bound on one call. */
  readonly timeoutMs: number;
  /** Of status look-ups. */
  readonly stepsMs: readonly number[];
  readonly nowMs: () => number;
  /** Calls under way are to end. */
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

/** Claims the payout for the rail, then asks it, once. */
export async function sendPayout(
  parts: PayoutDeps,
  { state: before, inquiries }: DuePayout,
  rail: Rail,
): Promise<void> {
  const command = { type: 'send', rail: rail.name } as const;
  const beganAtMs = performance.now();
  const { outcome, state } = await applyWithTiming(parts, before, command, {
    dueInMs: () => computeLeaseMs(parts, rail),
    inquiry: inquiries,
  });
  if (outcome !== 'done' || state === undefined) return;
  // Who was paused for so long must not pay any more: others may have judged by now what became of it.
  if (performance.now() - beganAtMs > ANSWER_LEASE_MS) return;
  const answer = await askRail(parts, rail, { operation: 'payout', state });
  await applyAnswer(parts, state, { answer, inquiries, inquiry: undefined });
}

/** No rail pays out. */
export async function requireManual(parts: PayoutDeps, { state }: DuePayout): Promise<void> {
  await applyWithTiming(parts, state, { type: 'make_manual' }, { dueInMs: () => null });
}

/** Asks the rail what became of it. */
export async function inquirePayout(parts: PayoutDeps, due: DuePayout, rail: Rail): Promise<void> {
  const { sql } = parts;
  const begun = beginInquiry(sql, due, computeLeaseMs(parts, rail));
  const lookUp = await runWithDeadline(begun, STATEMENT_DEADLINE_MS);
  if (lookUp === undefined) return;
  const answer = await askRail(parts, rail, { operation: 'payout_look_up', state: due.state });
  await applyAnswer(parts, due.state, { answer, inquiries: lookUp, inquiry: lookUp });
}

interface PayoutReply {
  readonly answer: PayoutAnswer;
  readonly inquiries: number;
  /** The number of the look-up that told it; undefined: the payout's own call did. */
  readonly inquiry: number | undefined;
}

async function applyAnswer(
  parts: PayoutDeps,
  asked: PayoutState,
  told: PayoutReply,
): Promise<void> {
  const { answer, inquiries, inquiry } = told;
  const { nowMs, stepsMs } = parts;
  const dueInMs = (state: PayoutState): number | null =>
    findNextInquiryInMs(state, { nowMs: nowMs(), inquiries, stepsMs });
  const timing = { dueInMs, ...(inquiry === undefined ? {} : { inquiry }) };
  const { outcome, state } = await applyWithTiming(
    parts,
    asked,
    { type: 'answer', answer },
    timing,
  );
  if (outcome !== 'unchanged' || state === undefined) return;
  const isUnknown = answer.result === 'unknown';
  const deferral = { inquiry: inquiries, dueInMs: dueInMs(state), isUnknown };
  await runWithDeadline(deferInquiry(parts.sql, state, deferral), STATEMENT_DEADLINE_MS);
  if (isUnknown && isUnresolvedDue(state, nowMs())) {
    await applyWithTiming(parts, state, { type: 'leave_unresolved' }, timing);
  }
}

type Timing = Pick<Parameters<typeof applyCommand>[3], 'dueInMs' | 'inquiry'>;

function applyWithTiming(
  { sql, nowMs }: PayoutDeps,
  { id }: PayoutState,
  command: LaterCommand,
  timing: Timing,
): Promise<AppliedCommand> {
  const circumstances = { nowMs: nowMs(), ...timing };
  return runWithDeadline(applyCommand(sql, id, command, circumstances), STATEMENT_DEADLINE_MS);
}

function computeLeaseMs({ timeoutMs }: PayoutDeps, { name }: Rail): number {
  return name === 'sandbox' ? SANDBOX_LEASE_MS : timeoutMs + ANSWER_LEASE_MS;
}

interface PayoutQuestion {
  readonly operation: Operation;
  readonly state: PayoutState;
}

/** An adapter that rejects is a bug, and leaves the outcome as unknown as a time-out does. */
async function askRail(
  { timeoutMs, giveUp, log, onAnswer }: PayoutDeps,
  rail: Rail,
  { operation, state }: PayoutQuestion,
): Promise<PayoutAnswer> {
  const order = buildOrder(state);
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), giveUp]);
  const beganAtMs = performance.now();
  let answer: PayoutAnswer = { result: 'unknown' };
  try {
    const asked =
      operation === 'payout' ? rail.payOut(order, signal) : rail.inquirePayout(order, signal);
    answer = await runWithDeadline(asked, timeoutMs + 1_000);
  } catch (error) {
    log.error({ err: error, rail: rail.name, payout: state.id }, 'a rail was asked in vain');
  }
  onAnswer(rail.name, operation, answer.result, performance.now() - beganAtMs);
  return answer;
}

function buildOrder({ id, request, railReference }: PayoutState): PayoutOrder {
  const { amountMinor, currency, bankCode, accountNumber, accountHolder, description } = request;
  const account = { bankCode, accountNumber, accountHolder };
  return { payoutId: id, amountMinor, currency, ...account, description, railReference };
}
