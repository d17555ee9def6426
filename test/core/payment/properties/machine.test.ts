// Properties that hold for every payment, for all commands in all orders.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { deriveOrderId } from '#actors/core/ids.js';
import { decide, EVENT_HANDLERS } from '#actors/core/payment/state-machine.js';
import { buildDueCommand, findNextDueAtMs } from '#actors/core/payment/due.js';
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

/** The allowed changes of status; an event may also leave the status unchanged. */
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
const EVENT_TYPES = ['payment_created', ...Object.keys(EVENT_HANDLERS)];
const claims = new Map<string, (turns: readonly Turn[]) => void>();

function holds(name: string, check: (turns: readonly Turn[]) => void): void {
  claims.set(name, check);
}

function claim(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(what);
}

const listMoments = (turns: readonly Turn[]) => turns.flatMap((turn) => turn.moments);
const listStates = (turns: readonly Turn[]): readonly PaymentState[] =>
  listMoments(turns).map((moment) => moment.after);

holds('versions count the events, and a replay of the events gives the same payment', (turns) => {
  const events = listMoments(turns).map((moment) => moment.event);
  events.forEach((event, index) => {
    claim(event.version === index + 1, `${event.type} has version ${event.version}`);
  });
  const last = turns.at(-1)?.after;
  claim((last?.version ?? 0) === events.length, 'the version is not the number of events');
  assert.deepStrictEqual(fold(events), last);
});

holds('statuses change only as the table allows', (turns) => {
  for (const { before, after, event } of listMoments(turns)) {
    const from = before?.status ?? 'none';
    const isMove = from === after.status || MOVES[from].includes(after.status);
    claim(isMove, `${event.type} moves ${from} to ${after.status}`);
  }
});

holds('a repeated command has no effect', (turns) => {
  for (const { command, nowMs, after } of turns) {
    const { events } = decide(after, command, nowMs);
    const isReplay = events.length === 0 || after === undefined;
    claim(isReplay, `a second ${command.type} causes ${events.map((event) => event.type).join()}`);
  }
});

holds('a rejected, replayed or unchanged command makes no event', (turns) => {
  for (const { outcome, moments, command } of turns) {
    const isQuiet = isRejection(outcome) || outcome === 'replayed' || outcome === 'unchanged';
    claim(isQuiet ? moments.length === 0 : true, `${command.type} is ${outcome} with events`);
    claim(outcome === 'done' ? moments.length > 0 : true, `${command.type} is done without events`);
  }
});

holds('open and succeeded refunds together never exceed the payment', (turns) => {
  for (const state of listStates(turns)) {
    const spoken = sumRefundedMinor(state) + sumOpenRefundsMinor(state);
    claim(spoken <= state.request.amountMinor, `${spoken} of ${state.request.amountMinor}`);
    const isWhole = sumRefundedMinor(state) === state.request.amountMinor;
    claim((state.status === 'refunded') === (isWhole && state.status !== 'failed'), 'refunded');
    const asked = state.refunds.filter((refund) => refund.status === 'asked');
    claim(asked.length <= 1, 'the rail is asked for two refunds at once');
  }
});

holds('a rail transaction counts once, and at most one is captured', (turns) => {
  for (const state of listStates(turns)) {
    const keys = state.railTransactions.map(({ rail, id }) => `${rail} ${id}`);
    claim(new Set(keys).size === keys.length, 'a rail transaction is listed twice');
    const captured = state.railTransactions.filter(({ state }) => state === 'captured');
    claim(captured.length <= 1, 'two transactions are captured');
    claim(state.status !== 'paid' || captured.length === 1, 'paid without a transaction');
  }
});

holds('a LIVE payment has at most one payable order, and none at the sandbox', (turns) => {
  for (const state of listStates(turns)) {
    const isLive = state.environment === 'LIVE';
    const payable = state.attempts.filter(isPayable);
    claim(payable.length <= 1, `${payable.length} orders can be paid`);
    for (const attempt of state.attempts) {
      claim((attempt.rail === 'sandbox') !== isLive, `${state.environment} at ${attempt.rail}`);
      claim(attempt.orderId === deriveOrderId(state.id, attempt.number), 'an order id of its own');
    }
  }
});

holds('a TEST payment calls no rail and has no waiters', (turns) => {
  for (const { after, effects } of listMoments(turns)) {
    if (after.environment === 'LIVE') continue;
    claim(
      effects.railCalls.length === 0 && effects.answers.length === 0,
      'TEST calls a rail or has a waiter',
    );
  }
});

holds('ids of calls and tasks never repeat', (turns) => {
  const ids = listMoments(turns).flatMap(({ effects }) =>
    [...effects.railCalls, ...effects.tasks].map(({ id }) => id),
  );
  claim(new Set(ids).size === ids.length, 'an id is used twice');
});

holds('every waiter is answered once no request to a rail is open', (turns) => {
  for (const { after, waiting } of turns) {
    if (after === undefined) continue;
    if (!isOpen(after)) {
      for (const waiter of ['create', 'cancel', 'choose_method']) {
        claim(!waiting.has(waiter), `${waiter} waits on a payment that is ${after.status}`);
      }
    }
    if (after.status === 'pending' && after.cancelRequest === null) {
      claim(!waiting.has('cancel'), 'a cancel waits without a request');
    }
    if (after.status !== 'creating') claim(!waiting.has('create'), 'a create waits');
    for (const refund of after.refunds) {
      const isAsked = refund.status === 'asked' && !refund.isLeftPending;
      claim(isAsked || !waiting.has(`refund:${refund.id}`), `a refund waits: ${refund.status}`);
    }
  }
});

holds('only commands with a waiter have the outcome waiting', (turns) => {
  for (const { command, outcome } of turns) {
    claim(
      outcome !== 'waiting' || findWaiter(command) !== null,
      `${command.type} waits without a waiter`,
    );
  }
});

holds('the due command at its time changes the payment', (turns) => {
  for (const { after: state } of turns) {
    if (state === undefined) continue;
    const atMs = findNextDueAtMs(state);
    const command = buildDueCommand(state);
    claim((atMs === null) === (command === null), 'due without a command');
    if (atMs === null || command === null) continue;
    const { events } = decide(state, command, atMs);
    claim(events.length > 0, `${command.type} is due and has no effect in ${state.status}`);
  }
});

/**
 * Checks that the stories reached every event and status, since a property of an event that never
 * happens proves nothing.
 */
function checkReach(seen: ReadonlySet<string>): void {
  for (const type of EVENT_TYPES) t.ok(seen.has(type), `${type} is reached`);
  for (const status of Object.keys(MOVES)) {
    if (status !== 'none') t.ok(seen.has(status), `${status} is reached`);
  }
}

t.test('every property holds for every story', (t) => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(story, (commands) => {
      const turns = live(commands);
      for (const { event, after } of listMoments(turns)) seen.add(event.type).add(after.status);
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
