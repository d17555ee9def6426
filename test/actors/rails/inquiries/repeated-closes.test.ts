// Closes that are made again, until the rail confirms them: which orders, when, and through a service with scripted rails.
import t from 'tap';
import { findAttempt, type PaymentState } from '#actors/core/payment/state.js';
import { evolve } from '#actors/core/payment/state-machine.js';
import { planRepeatedClose } from '#actors/rails/inquiries/repeated-closes.js';
import type { OpenCall } from '#actors/rails/inquiries/inquiry-result.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { ORDER_1, PAYMENT_ID } from '#test/core/payment/samples.js';
import { type Situation, SITUATIONS } from '#test/core/payment/matrix/situations.js';
import { uniqueWord } from '#test/support/processes.js';
import { startLiveService } from '#test/support/rails/live.js';
import {
  ACCEPTED,
  REFUSED,
  startScriptedRail,
  UNKNOWN,
} from '#test/support/rails/scripted-rail.js';

const CLOSED = { result: 'closed' } as const;
const OPEN = { result: 'open', charge: ACCEPTED } as const;

function load(situation: Situation): PaymentState {
  let state: PaymentState | undefined;
  for (const event of SITUATIONS[situation]) state = evolve(state, event);
  if (state === undefined) throw new Error(`${situation} has no events`);
  return state;
}

const closeCall = (purpose: 'cancel' | 'switch' | 'expire', isGivenUp = true): OpenCall => ({
  id: 'call_1',
  call: {
    ...{ id: 'call_1', operation: 'close', paymentId: PAYMENT_ID, orderId: ORDER_1 },
    ...{ rail: 'midtrans', purpose, railReference: null },
  },
  isGivenUp,
  isAnswered: false,
});

function plan(situation: Situation, calls: readonly OpenCall[], changes: object = {}) {
  const state = load(situation);
  const attempt = findAttempt(state, ORDER_1);
  if (attempt === undefined) throw new Error(`${situation} has no attempt`);
  const times = { nowMs: 1, inquireUntilMs: 2 };
  const order = { state, attempt, calls, railReference: 'r1', closes: 0, isCloseDue: false };
  return planRepeatedClose({ ...order, ...times, ...changes });
}

t.test('an open order is closed again if its payment asked for it or has ended', (t) => {
  for (const [situation, calls, purpose, onlyWithout] of [
    ['cancel_asked', [closeCall('cancel')], 'cancel', 'call_1'],
    ['switch_asked', [closeCall('switch')], 'switch', 'call_1'],
    ['expiry_asked', [closeCall('expire')], 'expire', null],
    ['expiry_asked', [], 'expire', null],
    ['failed', [], 'supersede', null],
    ['cancelled', [], 'supersede', null],
  ] as const) {
    const close = plan(situation, calls);
    t.match(
      close,
      { call: { orderId: ORDER_1, purpose, railReference: 'r1' }, inMs: 0 },
      situation,
    );
    t.equal(close?.onlyWithout, onlyWithout, situation);
  }
  t.end();
});

t.test('an order that is wanted, settled, charging or being closed is left alone', (t) => {
  t.equal(plan('open', []), null);
  t.equal(plan('open', [closeCall('cancel')]), null, 'the rail refused the cancel');
  t.equal(plan('cancel_asked', []), null, 'its answer is about to be applied');
  t.equal(plan('paid', []), null);
  t.equal(plan('charging', []), null);
  t.equal(plan('cancel_asked', [closeCall('cancel', false)]), null, 'an answer may arrive');
  t.equal(plan('cancelled', [], { isCloseDue: true }), null);
  t.equal(plan('cancelled', [], { nowMs: 2 }), null, 'inquiries end');
  t.end();
});

t.test('each repeat is another call, after a longer pause', (t) => {
  const closes = [0, 1, 2, 6, 50].map((count) => plan('cancelled', [], { closes: count }));
  t.same(
    closes.map((close) => close?.inMs),
    [0, 5_000, 15_000, 3_600_000, 3_600_000],
  );
  t.equal(new Set(closes.map((close) => close?.call.id)).size, 5);
  t.end();
});

t.test('through the service', async (t) => {
  const first = await startScriptedRail(t, 'midtrans');
  const second = await startScriptedRail(t, 'xendit');
  const { live, sql } = await startLiveService(t, { rails: [first, second] });
  const statusOf = async (id: unknown) => (await live.get(id)).body['status'];
  const reset = (): void => {
    for (const rail of [first, second]) {
      rail.answer('charge', () => ACCEPTED);
      rail.answer('lookUp', () => OPEN);
    }
  };

  await t.test(
    'a cancel that is lost three times is made again until it is confirmed',
    async (t) => {
      reset();
      let closes = 0;
      let isClosed = false;
      first.answer('close', () => {
        closes += 1;
        isClosed ||= closes > 3;
        return isClosed ? CLOSED : UNKNOWN;
      });
      first.answer('lookUp', () => (isClosed ? CLOSED : OPEN));
      const { body } = await live.create({ amount: '25000', payment_method: 'QRIS' }, uniqueWord());
      const { status, code } = await live.cancel(body['id']);
      t.same([status, code], [504, 'outcome_unknown'], 'an order that is open is no refusal');
      await sql`update rail_calls set due_at = now() where state = 'due'`;
      await waitUntil('it is cancelled', async () => {
        await sql`update rail_calls set due_at = now() where state = 'due'`;
        return (await statusOf(body['id'])) === 'cancelled';
      });
      t.equal(first.count('charge', String(body['order_id'])), 1);
    },
  );

  await t.test(
    'a superseded order whose close is refused and lost is closed in the end',
    async () => {
      reset();
      first.answer('charge', () => REFUSED);
      const { body } = await live.create({ amount: '25000', payment_method: 'QRIS' }, uniqueWord());
      const { id, order_id: orderId } = body;
      const refused =
        first.asked.findLast(({ operation }) => operation === 'charge')?.orderId ?? '';
      // The rail took the first order although it refused it, and its customer paid it.
      const settlement = {
        ...{ rail: 'midtrans', railTransactionId: uniqueWord(), orderId: refused },
        ...{ amountMinor: '25000', currency: 'IDR', settledAtMs: null },
      };
      first.answer('lookUp', () => ({ result: 'settled', settlement }));
      let closes = 0;
      second.answer('close', () => {
        closes += 1;
        return closes === 1 ? REFUSED : closes === 2 ? UNKNOWN : CLOSED;
      });
      second.answer('lookUp', () => (closes > 2 ? CLOSED : OPEN));
      await sql`update rail_watches set look_at = now() where id = ${refused}`;
      await waitUntil('it is paid', async () => (await statusOf(id)) === 'paid');
      await waitUntil('the other order is closed', async () => {
        await sql`update rail_calls set due_at = now() where state = 'due'`;
        return second.count('close', String(orderId)) >= 3;
      });
    },
  );
});
