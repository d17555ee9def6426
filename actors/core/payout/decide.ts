// The state machine of payouts: pure and total. One SQL statement applies each decision
// (store/postgres/payouts/), by compare-and-set on the version that it was decided on.
//
// Rules: a payout is never sent twice. It becomes FAILED, with the money back, only by the rail's
// explicit answer, or by an administrator when no rail was asked or the rail reports nothing for
// long. An unknown result stays PROCESSING. Only an administrator corrects a wrong result: a FAILED
// payout that was paid, a COMPLETED one that came back without a report.
import type { PayoutContradiction, PayoutFailureCode } from '../statuses.js';
import { unreachable } from '../unreachable.js';
import type {
  AnswerPayout,
  CancelPayout,
  LaterCommand,
  PayoutCommand,
  RequestPayout,
  ReversePayout,
} from './commands.js';
import type { PayoutEvent } from './events.js';
import type { PayoutState } from './state.js';

export type PayoutRejection =
  'payout_not_found' | 'idempotency_conflict' | 'balance_insufficient' | 'state_conflict';

/**
 * created: the payout is new. replayed: the same request was accepted before. done: a transition
 * took place. unchanged: it took place before, or the command has no effect here.
 */
export type PayoutOutcome = 'created' | 'replayed' | 'done' | 'unchanged' | PayoutRejection;

export interface PayoutDecision {
  readonly events: readonly PayoutEvent[];
  readonly outcome: PayoutOutcome;
}

const UNCHANGED: PayoutDecision = { events: [], outcome: 'unchanged' };
/** The failure code of an administrator, who does not know the rail's reason. */
const MANUAL_FAILURE: PayoutFailureCode = 'processing_failed';

export function decidePayout(
  state: PayoutState | undefined,
  command: PayoutCommand,
  nowMs: number,
): PayoutDecision {
  if (command.type === 'request') return decideRequest(state, command, nowMs);
  return state === undefined ? reject('payout_not_found') : decideLater(state, command, nowMs);
}

function decideLater(state: PayoutState, command: LaterCommand, nowMs: number): PayoutDecision {
  const at = mark(state, nowMs);
  switch (command.type) {
    case 'send':
      if (state.status !== 'PENDING') return UNCHANGED;
      return done({ type: 'payout_sent', ...at, rail: command.rail });
    case 'make_manual':
      if (state.status !== 'PENDING') return UNCHANGED;
      return done({ type: 'payout_made_manual', ...at });
    case 'answer':
      return state.rail === null ? UNCHANGED : decideAnswer(state, command, nowMs);
    case 'leave_unresolved':
      if (state.status !== command.status || state.isUnresolved) return UNCHANGED;
      return done({ type: 'payout_left_unresolved', ...at });
    case 'complete':
    case 'fail':
      return decideByHand(state, command, nowMs);
    case 'reverse':
      return reverseByHand(state, command, nowMs);
    case 'cancel':
      return cancel(state, command, nowMs);
    default:
      return unreachable(command);
  }
}

function reject(outcome: PayoutRejection): PayoutDecision {
  return { events: [], outcome };
}

function done(...events: readonly PayoutEvent[]): PayoutDecision {
  return { events, outcome: 'done' };
}

/** The base of the next event; `ahead` events of the same decision come before it. */
function mark({ id, version }: PayoutState, atMs: number, ahead = 0) {
  return { payoutId: id, version: version + 1 + ahead, atMs };
}

function decideRequest(
  state: PayoutState | undefined,
  command: RequestPayout,
  nowMs: number,
): PayoutDecision {
  const { payoutId, merchantId, environment, request, fingerprint } = command;
  if (state !== undefined) {
    const isSame = state.fingerprint === fingerprint;
    return isSame ? { events: [], outcome: 'replayed' } : reject('idempotency_conflict');
  }
  if (command.availableMinor < request.amountMinor) return reject('balance_insufficient');
  const at = { payoutId, version: 1, atMs: nowMs };
  const of = { merchantId, environment, request, fingerprint };
  return { events: [{ type: 'payout_requested', ...at, ...of }], outcome: 'created' };
}

function decideAnswer(state: PayoutState, { answer }: AnswerPayout, nowMs: number): PayoutDecision {
  switch (state.status) {
    case 'PROCESSING':
      return answerProcessing(state, { type: 'answer', answer }, nowMs);
    case 'COMPLETED':
      if (answer.result === 'reversed') return done(reverse(state, nowMs));
      return answer.result === 'failed' ? contradict(state, answer.result, nowMs) : UNCHANGED;
    case 'FAILED':
    case 'REVERSED':
      return answerReturned(state, answer, nowMs);
    case 'PENDING':
    case 'MANUAL_REQUIRED':
      return UNCHANGED;
    default:
      return unreachable(state.status);
  }
}

function answerProcessing(
  state: PayoutState,
  { answer }: AnswerPayout,
  nowMs: number,
): PayoutDecision {
  const at = mark(state, nowMs);
  switch (answer.result) {
    case 'completed':
      return done(complete(state, answer.railReference, nowMs));
    case 'pending': {
      const { railReference } = answer;
      if (railReference === null || railReference === state.railReference) return UNCHANGED;
      return done({ type: 'payout_accepted', ...at, railReference });
    }
    case 'reversed':
      return done(complete(state, answer.railReference, nowMs), reverse(state, nowMs, 1));
    case 'failed': {
      const { failureCode } = answer;
      return done({ type: 'payout_failed', ...at, failureCode, externalReference: null });
    }
    case 'unknown':
      return UNCHANGED;
    default:
      return unreachable(answer);
  }
}

function complete(state: PayoutState, railReference: string | null, nowMs: number): PayoutEvent {
  const at = mark(state, nowMs);
  return { type: 'payout_completed', ...at, railReference, externalReference: null };
}

function reverse(state: PayoutState, nowMs: number, ahead = 0): PayoutEvent {
  return { type: 'payout_reversed', ...mark(state, nowMs, ahead), externalReference: null };
}

/** The record says that the money came back, or never left; written off, that it left all the same. */
function answerReturned(
  state: PayoutState,
  { result }: AnswerPayout['answer'],
  nowMs: number,
): PayoutDecision {
  switch (result) {
    case 'completed': {
      // A return that an administrator reported is not known to the rail, which still says
      // "completed", unless it has reported a failure before.
      const isNews = state.reversalReference === null || state.contradiction === 'failed';
      return isNews && !state.isWrittenOff ? contradict(state, result, nowMs) : UNCHANGED;
    }
    case 'failed':
    case 'reversed':
      return state.isWrittenOff ? contradict(state, result, nowMs) : UNCHANGED;
    case 'pending':
    case 'unknown':
      return UNCHANGED;
    default:
      return unreachable(result);
  }
}

/**
 * One task asks a person to find out where the money is. A word that a person has decided about
 * opens no second task while the rail repeats it.
 */
function contradict(
  state: PayoutState,
  result: PayoutContradiction,
  nowMs: number,
): PayoutDecision {
  const { contradiction, contradictionClosedAtMs } = state;
  const isKnown = contradiction !== null && hasLeft(contradiction) === hasLeft(result);
  const isOpen = contradiction !== null && contradictionClosedAtMs === null;
  if (isKnown || isOpen) return UNCHANGED;
  return done({ type: 'payout_contradicted', ...mark(state, nowMs), result });
}

const hasLeft = (word: PayoutContradiction): boolean => word === 'completed';

function decideByHand(
  state: PayoutState,
  command: Extract<LaterCommand, { type: 'complete' | 'fail' }>,
  nowMs: number,
): PayoutDecision {
  const { externalReference } = command;
  const isCompletion = command.type === 'complete';
  const isLeft = state.status === 'PROCESSING' && state.isUnresolved;
  if (state.status === 'MANUAL_REQUIRED' || isLeft) {
    const at = mark(state, nowMs);
    return done(
      isCompletion
        ? { type: 'payout_completed', ...at, railReference: null, externalReference }
        : { type: 'payout_failed', ...at, failureCode: MANUAL_FAILURE, externalReference },
    );
  }
  if (isCompletion && isPaidAfterAll(state)) {
    return done({ type: 'payout_corrected', ...mark(state, nowMs), externalReference });
  }
  const isRepeat =
    state.status === (isCompletion ? 'COMPLETED' : 'FAILED') &&
    state.externalReference === externalReference;
  return isRepeat ? UNCHANGED : reject('state_conflict');
}

/** The rail reported so, and no person has confirmed either result since. */
function isPaidAfterAll({ status, contradiction, contradictionClosedAtMs }: PayoutState): boolean {
  return status === 'FAILED' && contradiction === 'completed' && contradictionClosedAtMs === null;
}

/** Only what nothing has sent: an administrator may already be paying a MANUAL_REQUIRED payout. */
function cancel(
  state: PayoutState,
  { externalReference }: CancelPayout,
  nowMs: number,
): PayoutDecision {
  if (state.status === 'PENDING') {
    const failureCode = 'cancelled';
    return done({ type: 'payout_failed', ...mark(state, nowMs), failureCode, externalReference });
  }
  const isRepeat = state.status === 'FAILED' && state.failureCode === 'cancelled';
  return isRepeat ? UNCHANGED : reject('state_conflict');
}

function reverseByHand(
  state: PayoutState,
  { externalReference }: ReversePayout,
  nowMs: number,
): PayoutDecision {
  if (state.status === 'COMPLETED') {
    return done({ type: 'payout_reversed', ...mark(state, nowMs), externalReference });
  }
  const isRepeat = state.status === 'REVERSED' && state.reversalReference === externalReference;
  return isRepeat ? UNCHANGED : reject('state_conflict');
}
