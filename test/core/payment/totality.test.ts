// Impossible values and events out of order throw.
import t from 'tap';
import { decide, deriveEffects, evolve } from '#actors/core/payment/state-machine.js';
import { findNextDueAtMs } from '#actors/core/payment/due.js';
import type { PaymentEvent } from '#actors/core/payment/events.js';
import { isRejection } from '#actors/core/payment/outcome.js';
import { findRefundAmount } from '#actors/core/payment/state.js';
import { findWaiter } from '#actors/core/payment/outcome.js';
import { encodeEvent } from '#actors/core/payment/wire/event.js';
import { unreachable } from '#actors/core/unreachable.js';
import { paymentAfter, START_MS, tell } from '#test/support/given-when-then.js';
import { COMMANDS, SITUATIONS } from './matrix/situations.js';
import {
  chargeAnswered,
  closeAnswered,
  create,
  REFUND_1,
  refundAnswered,
  reverse,
  settle,
  UNKNOWN,
} from './samples.js';

const open = paymentAfter(SITUATIONS.open);
const paid = paymentAfter(SITUATIONS.paid);

/** A value outside its type, which the compiler would not accept. */
function lie<T>(value: T, key: keyof T): never {
  return { ...value, [key]: 'a lie' } as never;
}

const [created] = SITUATIONS.open;
const event: PaymentEvent = {
  type: 'payment_cancelled',
  paymentId: open.id,
  version: open.version + 1,
  atMs: START_MS,
};

t.test('a value outside its union throws', (t) => {
  const impossible: readonly (() => unknown)[] = [
    () => unreachable('a lie' as never),
    () => decide(open, lie(settle(), 'type'), START_MS),
    () => decide(paymentAfter(SITUATIONS.charging), lieAnswer(chargeAnswered(UNKNOWN)), START_MS),
    () => decide(open, lieAnswer(closeAnswered(UNKNOWN)), START_MS),
    () =>
      decide(paymentAfter(SITUATIONS.refund_asked), lieAnswer(refundAnswered(UNKNOWN)), START_MS),
    () => decide(lieRefund(), refundAnswered(UNKNOWN), START_MS),
    () => decide(lieTransaction(), reverse(), START_MS),
    () => evolve(open, lie(event, 'type')),
    () => deriveEffects(open, lie(event, 'type')),
    () => findNextDueAtMs(lie(paymentAfter(SITUATIONS.t_paid), 'status')),
    () => encodeEvent(lie(event, 'type')),
  ];
  for (const call of impossible) t.throws(call, /impossible value/, call.toString());
  t.end();
});

function lieAnswer<T extends { readonly answer: { readonly result: string } }>(command: T): T {
  return { ...command, answer: { result: 'a lie' } };
}

function lieRefund() {
  const state = paymentAfter(SITUATIONS.refund_asked);
  return { ...state, refunds: state.refunds.map((refund) => lie(refund, 'status')) };
}

function lieTransaction() {
  const { railTransactions } = paid;
  return { ...paid, railTransactions: railTransactions.map((item) => lie(item, 'state')) };
}

t.test('an event out of order or of another payment throws', (t) => {
  t.throws(() => evolve(undefined, event), /does not follow version 0/);
  t.throws(() => evolve(open, { ...event, version: open.version }), /does not follow version/);
  t.throws(() => evolve(open, { ...event, version: open.version + 2 }), /does not follow/);
  if (created?.type === 'payment_created') {
    const again = { ...created, version: open.version + 1 };
    t.throws(() => evolve(open, again), /does not follow/);
    t.throws(() => evolve(undefined, { ...created, version: 2 }), /does not follow version 0/);
    t.throws(() => evolve(open, { ...again, paymentId: 'pay_other' as never }), /pay_other/);
  }
  t.end();
});

t.test('an event that no decision makes leaves the payment valid', (t) => {
  const at = { paymentId: open.id, version: open.version + 1, atMs: START_MS };
  const unconfirmed = (purpose: 'cancel' | 'switch') =>
    evolve(open, { ...at, type: 'close_unconfirmed', purpose });
  t.equal(unconfirmed('cancel').cancelRequest, null);
  t.equal(unconfirmed('switch').methodChange, null);
  t.equal(evolve(open, { ...at, type: 'hold_released' }).capture, null);
  const refunding = { ...at, refundId: REFUND_1 } as const;
  const submitted: PaymentEvent = { ...refunding, type: 'refund_submitted' };
  t.same(deriveEffects(evolve(open, submitted), submitted).railCalls, []);
  const done: PaymentEvent = { ...refunding, type: 'refund_succeeded', externalReference: null };
  t.same(deriveEffects(evolve(open, done), done).postings, []);
  t.equal(findRefundAmount(open, REFUND_1), 0n);
  t.end();
});

t.test('four commands wait', (t) => {
  const commands = Object.values(COMMANDS).map((ask) => {
    const step = ask('open');
    return 'command' in step ? step.command : step;
  });
  const waiting = new Set(commands.filter((command) => findWaiter(command) !== null));
  t.same([...new Set([...waiting].map(({ type }) => type))].sort(), [
    'cancel',
    'choose_method',
    'create',
    'refund',
  ]);
  t.ok(isRejection('state_conflict'));
  t.notOk(isRejection('created'));
  t.notOk(isRejection('waiting'));
  t.equal(paymentAfter(tell(create('TEST'))).status, 'pending');
  t.end();
});
