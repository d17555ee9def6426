import t from 'tap';
import { makeMinor } from '#actors/core/money.js';
import { buildDueCommand, findNextDueAtMs } from '#actors/core/payment/due.js';
import type { EventType } from '#actors/core/payment/events.js';
import { SANDBOX_STEP_MS } from '#actors/core/rails/sandbox.js';
import { decide } from '#actors/core/payment/state-machine.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import { fold, paymentAfter, START_MS, tell } from '#test/support/given-when-then.js';
import {
  ACCEPTED,
  cancel,
  chargeAnswered,
  choose,
  create,
  EXPIRE,
  EXPIRE_COMMAND,
  ORDER_1,
  PAYMENT_ID,
  refund,
  refundAnswered,
  settle,
  simulate,
} from './samples.js';

const CREATED_MS = START_MS + 1000;
const EXPIRES_MS = CREATED_MS + 3_600_000;

/** Sends each due command at its time until none is due. */
function wait(first: PaymentState): { types: EventType[]; state: PaymentState } {
  const types: EventType[] = [];
  let state = first;
  for (let turn = 0; turn < 10; turn += 1) {
    const command = buildDueCommand(state);
    const atMs = findNextDueAtMs(state);
    if (command === null || atMs === null) return { types, state };
    const { events } = decide(state, command, atMs);
    types.push(...events.map((event) => event.type));
    state = fold(events, state) ?? state;
  }
  throw new Error('the payment stays due after 10 commands');
}

t.test('an open payment is due to expire at its expiry, and again after the grace time', (t) => {
  for (const environment of ['TEST', 'LIVE'] as const) {
    const state = paymentAfter(tell(create(environment)));
    t.equal(findNextDueAtMs(state), EXPIRES_MS);
    t.same(buildDueCommand(state), EXPIRE_COMMAND);
  }
  const asked = paymentAfter(tell(create('LIVE'), choose('VA_BCA'), EXPIRE));
  t.equal(findNextDueAtMs(asked), EXPIRES_MS + 120_000, 'then without the rail’s answer');
  t.same(buildDueCommand(asked), EXPIRE_COMMAND);
  t.end();
});

t.test('an early expire changes nothing, and the payment stays due', (t) => {
  const first = tell(create('TEST', { amountMinor: makeMinor(10_093n) }));
  for (const history of [tell(create('TEST')), tell(create('LIVE')), first]) {
    const state = paymentAfter(history);
    const atMs = findNextDueAtMs(state) ?? 0;
    t.same(decide(state, EXPIRE_COMMAND, atMs - 1), { events: [], outcome: 'unchanged' });
    t.equal(decide(state, EXPIRE_COMMAND, atMs).outcome, 'done');
  }
  const pays = paymentAfter(tell(create('TEST', { amountMinor: makeMinor(10_092n) })));
  const late = findNextDueAtMs(pays) ?? 0;
  t.equal(decide(pays, EXPIRE_COMMAND, late).outcome, 'unchanged', 'a settlement is due');
  t.end();
});

t.test('a payment under a hold is due to release it', (t) => {
  const paid = [create('LIVE'), choose('QRIS'), chargeAnswered(ACCEPTED), settle()];
  const state = paymentAfter(tell(...paid));
  t.equal(findNextDueAtMs(state), START_MS + 1000 + 2 * 86_400_000);
  t.same(buildDueCommand(state), { type: 'release_hold', paymentId: PAYMENT_ID });
  t.same(wait(state).types, ['hold_released']);
  t.end();
});

t.test('a payment that has ended is never due', (t) => {
  const free = [create('LIVE'), choose('VA_BNI'), chargeAnswered(ACCEPTED), settle()];
  const histories = [
    free,
    [...free, refund(), refundAnswered({ result: 'succeeded', railReference: null })],
    [create('LIVE'), cancel()],
    [create('LIVE'), EXPIRE],
    [create('TEST'), cancel('TEST')],
    [create('TEST'), simulate('paid')],
    [create('TEST'), simulate('failed')],
    [create('TEST'), simulate('paid'), refund(null, { environment: 'TEST' })],
  ];
  for (const history of histories) {
    const state = paymentAfter(tell(...history));
    t.equal(findNextDueAtMs(state), null, state.status);
    t.equal(buildDueCommand(state), null);
  }
  t.end();
});

t.test('a TEST payment of a magic amount acts by itself', (t) => {
  const magic = (amount: bigint) =>
    paymentAfter(tell(create('TEST', { amountMinor: makeMinor(amount), paymentMethod: 'QRIS' })));
  const cases = [
    {
      amount: 10_091n,
      types: ['payment_failed'],
      end: { status: 'failed', failureCode: 'declined' },
    },
    { amount: 10_092n, types: ['payment_paid'], end: { status: 'paid', isLate: false } },
    { amount: 10_093n, types: ['payment_failed'], end: { failureCode: 'expired' } },
    { amount: 10_094n, types: ['payment_paid'], end: { status: 'paid' } },
    {
      amount: 10_095n,
      types: ['payment_failed', 'payment_paid'],
      end: { status: 'paid', isLate: true },
    },
    {
      amount: 10_096n,
      types: ['payment_paid', 'payment_reversed'],
      end: { status: 'failed', failureCode: 'reversed' },
    },
  ] as const;
  for (const { amount, types, end } of cases) {
    const state = magic(amount);
    t.equal(findNextDueAtMs(state), CREATED_MS + SANDBOX_STEP_MS, String(amount));
    const waited = wait(state);
    t.same(waited.types, types, String(amount));
    t.match(waited.state, end, String(amount));
  }
  t.ok(SANDBOX_STEP_MS * 2 < 1000, 'within a second');
  for (const amount of [10_090n, 10_097n, 100_910n]) {
    t.equal(findNextDueAtMs(magic(amount)), EXPIRES_MS, `${amount} is not magic`);
  }
  t.end();
});

t.test('a magic amount acts without a method, and not after the tester acted', (t) => {
  const unchosen = tell(create('TEST', { amountMinor: makeMinor(10_096n) }));
  t.same(wait(paymentAfter(unchosen)).types, ['payment_paid', 'payment_reversed']);
  const late = create('TEST', { amountMinor: makeMinor(10_095n) });
  t.equal(
    findNextDueAtMs(paymentAfter(tell(late, simulate('failed')))),
    null,
    'it failed otherwise',
  );
  t.equal(findNextDueAtMs(paymentAfter(tell(late, cancel('TEST')))), null);
  const paid = paymentAfter(
    tell(create('TEST', { amountMinor: makeMinor(10_092n) }), simulate('paid')),
  );
  const again = buildDueCommand(
    paymentAfter(tell(create('TEST', { amountMinor: makeMinor(10_092n) }))),
  );
  t.match(again, { type: 'settle', settlement: { orderId: ORDER_1 } });
  if (again !== null) t.equal(decide(paid, again, CREATED_MS).outcome, 'unchanged');
  t.end();
});
