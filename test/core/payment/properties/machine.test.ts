// What holds of every payment, whatever is asked of it and in whatever order.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { deriveOrderId } from '#actors/core/ids.js';
import { decide } from '#actors/core/payment/decide.js';
import { buildDueCommand, findNextDueAtMs } from '#actors/core/payment/due.js';
import type { EventType } from '#actors/core/payment/events.js';
import { isRejection } from '#actors/core/payment/outcome.js';
import {
  isOpen,
  isPayable,
  sumOpenRefundsMinor,
  type PaymentState,
  sumRefundedMinor,
} from '#actors/core/payment/state.js';
import { type PaymentStatus } from '#actors/core/statuses.js';
import { findWaiter } from '#actors/core/payment/outcome.js';
import { fold } from '#test/support/given-when-then.js';
import { story } from './commands.js';
import { live, type Turn } from './live.js';

/** The moves of the contract's table; an event may also leave the status as it is. */
const MOVES: Readonly<Record<PaymentStatus | 'none', readonly PaymentStatus[]>> = {
  none: ['creating', 'pending'],
  creating: ['pending', 'paid', 'failed', 'cancelled'],
  pending: ['paid', 'failed', 'cancelled'],
  paid: ['failed', 'refunded'],
  failed: ['paid'],
  cancelled: ['paid'],
  refunded: [],
};

const RUNS = { numRuns: 1000 };
const EVENT_TYPES = [
  'payment_created',
  'payment_failed',
  'payment_cancelled',
  'attempt_started',
  'attempt_accepted',
  'attempt_refused',
  'attempt_unconfirmed',
  'attempt_closed',
  'cancel_requested',
  'cancel_refused',
  'expiry_requested',
  'method_change_requested',
  'method_change_refused',
  'close_unconfirmed',
  'payment_paid',
  'payment_reversed',
  'hold_released',
  'settlement_suspended',
  'settlement_unapplied',
  'suspense_reversed',
  'reversal_unapplied',
  'refund_requested',
  'refund_submitted',
  'refund_left_pending',
  'refund_made_manual',
  'refund_succeeded',
  'refund_failed',
  'refund_contradicted',
] as const satisfies readonly EventType[];
const claims = new Map<string, (turns: readonly Turn[]) => void>();

function holds(name: string, check: (turns: readonly Turn[]) => void): void {
  claims.set(name, check);
}

function claim(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(what);
}

const momentsOf = (turns: readonly Turn[]) => turns.flatMap((turn) => turn.moments);
const statesOf = (turns: readonly Turn[]): readonly PaymentState[] =>
  momentsOf(turns).map((moment) => moment.after);

holds('versions count the events, and a replay of them gives the same payment', (turns) => {
  const events = momentsOf(turns).map((moment) => moment.event);
  events.forEach((event, index) => {
    claim(event.version === index + 1, `${event.type} has version ${event.version}`);
  });
  const last = turns.at(-1)?.after;
  claim((last?.version ?? 0) === events.length, 'the version is not the number of events');
  assert.deepStrictEqual(fold(events), last);
});

holds('statuses move along the table only', (turns) => {
  for (const { before, after, event } of momentsOf(turns)) {
    const from = before?.status ?? 'none';
    const isMove = from === after.status || MOVES[from].includes(after.status);
    claim(isMove, `${event.type} moves ${from} to ${after.status}`);
  }
});

holds('a command that comes twice does nothing the second time', (turns) => {
  for (const { command, nowMs, after } of turns) {
    const { events } = decide(after, command, nowMs);
    const isReplay = events.length === 0 || after === undefined;
    claim(isReplay, `a second ${command.type} causes ${events.map((event) => event.type).join()}`);
  }
});

holds('a rejected, replayed or unchanged command leaves no event', (turns) => {
  for (const { outcome, moments, command } of turns) {
    const isQuiet = isRejection(outcome) || outcome === 'replayed' || outcome === 'unchanged';
    claim(isQuiet ? moments.length === 0 : true, `${command.type} is ${outcome} with events`);
    claim(outcome === 'done' ? moments.length > 0 : true, `${command.type} is done with nothing`);
  }
});

holds('open and done refunds together never exceed the payment', (turns) => {
  for (const state of statesOf(turns)) {
    const spoken = sumRefundedMinor(state) + sumOpenRefundsMinor(state);
    claim(spoken <= state.request.amountMinor, `${spoken} of ${state.request.amountMinor}`);
    const isWhole = sumRefundedMinor(state) === state.request.amountMinor;
    claim((state.status === 'refunded') === (isWhole && state.status !== 'failed'), 'refunded');
    const asked = state.refunds.filter((refund) => refund.status === 'asked');
    claim(asked.length <= 1, 'the rail is asked for two refunds at a time');
  }
});

holds('a rail transaction counts once, and at most one is captured', (turns) => {
  for (const state of statesOf(turns)) {
    const keys = state.railTransactions.map(({ rail, id }) => `${rail} ${id}`);
    claim(new Set(keys).size === keys.length, 'a rail transaction stands twice');
    const captured = state.railTransactions.filter(({ state }) => state === 'captured');
    claim(captured.length <= 1, 'two transactions are captured');
    claim(state.status !== 'paid' || captured.length === 1, 'paid without a transaction');
  }
});

holds('a LIVE payment is payable at one order at most, and never at the sandbox', (turns) => {
  for (const state of statesOf(turns)) {
    const isLive = state.environment === 'LIVE';
    const payable = state.attempts.filter(isPayable);
    claim(payable.length <= 1, `${payable.length} orders can be paid`);
    for (const attempt of state.attempts) {
      claim((attempt.rail === 'sandbox') !== isLive, `${state.environment} at ${attempt.rail}`);
      claim(attempt.orderId === deriveOrderId(state.id, attempt.number), 'an order id of its own');
    }
  }
});

holds('TEST calls no rail and lets nobody wait', (turns) => {
  for (const { after, effects } of momentsOf(turns)) {
    if (after.environment === 'LIVE') continue;
    claim(effects.railCalls.length === 0 && effects.answers.length === 0, 'TEST waits for a rail');
  }
});

holds('ids of events, calls and tasks never repeat', (turns) => {
  const ids = momentsOf(turns).flatMap(({ effects }) =>
    [...effects.railCalls, ...effects.tasks].map(({ id }) => id),
  );
  claim(new Set(ids).size === ids.length, 'an id stands twice');
});

holds('whoever waits is answered by the time that nothing is asked any more', (turns) => {
  for (const { after, waiting } of turns) {
    if (after === undefined) continue;
    if (!isOpen(after)) {
      for (const waiter of ['create', 'cancel', 'choose_method']) {
        claim(!waiting.has(waiter), `${waiter} waits on a payment that is ${after.status}`);
      }
    }
    if (after.status === 'pending' && after.cancelRequest === null) {
      claim(!waiting.has('cancel'), 'a cancel waits that nobody has asked for');
    }
    if (after.status !== 'creating') claim(!waiting.has('create'), 'a create waits');
    for (const refund of after.refunds) {
      const isAsked = refund.status === 'asked' && !refund.isLeftPending;
      claim(isAsked || !waiting.has(`refund:${refund.id}`), `a refund waits: ${refund.status}`);
    }
  }
});

holds('only commands that can wait are told to wait', (turns) => {
  for (const { command, outcome } of turns) {
    claim(outcome !== 'waiting' || findWaiter(command) !== null, `${command.type} waits for ever`);
  }
});

holds('what falls due changes the payment, so that nothing falls due for ever', (turns) => {
  for (const { after: state } of turns) {
    if (state === undefined) continue;
    const atMs = findNextDueAtMs(state);
    const command = buildDueCommand(state);
    claim((atMs === null) === (command === null), 'due without a command');
    if (atMs === null || command === null) continue;
    const { events } = decide(state, command, atMs);
    claim(events.length > 0, `${command.type} is due and does nothing in ${state.status}`);
  }
});

/** What has happened in all stories together: a claim about what never happens proves nothing. */
function checkReach(seen: ReadonlySet<string>): void {
  for (const type of EVENT_TYPES) t.ok(seen.has(type), `${type} has happened`);
  for (const status of Object.keys(MOVES)) {
    if (status !== 'none') t.ok(seen.has(status), `a payment was ${status}`);
  }
}

t.test('every story', (t) => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(story, (commands) => {
      const turns = live(commands);
      for (const { event, after } of momentsOf(turns)) seen.add(event.type).add(after.status);
      for (const [name, check] of claims) {
        try {
          check(turns);
        } catch (error) {
          throw new Error(name, { cause: error });
        }
      }
    }),
    RUNS,
  );
  for (const name of claims.keys()) t.pass(name);
  checkReach(seen);
  t.end();
});
