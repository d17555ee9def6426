// Both adapters against every fault of the simulator: a broken answer is "unknown" and never a false "refused", "failed" or
// "closed", and a later inquiry finds the state of the order.
import t, { type Test } from 'tap';
import type { ChargeCall } from '#actors/core/payment/rail-calls.js';
import { openRails } from '#actors/rails/rail-registry.js';
import type { Rail } from '#actors/rails/adapters/rail.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import type { FaultRule, Operation } from '#ops/dev/rail-simulator/faults.js';
import type { RequestCount } from '#ops/dev/rail-simulator/request-counts.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import {
  chargeOf,
  closeOf,
  NOBODY,
  orderOf,
  payoutOf,
  refundOf,
} from '#test/support/rails/orders.js';
import { railsAt, settlementOf, simulateRails, UNLIMITED } from '#test/support/rails/simulator.js';

/** Among random faults, a call may also be given up that the rail would have answered. */
const SOON_MS = 150;
/** An answer that comes after the call was given up. */
const LATE_MS = 5_000;
const BREAKING = ['no_answer', 'server_error', 'html', 'reset'] as const;
const { signal } = new AbortController();
const { control, midtrans, plan, xendit } = await simulateRails(t);
const RAILS: readonly Rail[] = [midtrans, xendit];
const UNKNOWN = { result: 'unknown' };

async function countRequests(operation: Operation): Promise<number> {
  const { data } = (await control('GET', 'requests')) as { data: RequestCount[] };
  return data
    .filter((one) => one.operation === operation)
    .reduce((sum, { count }) => sum + count, 0);
}

/** Aborted once the rail has had one more request: one that is given up on its way proves nothing. */
async function giveUpOnceAsked(operation: Operation): Promise<AbortSignal> {
  const before = await countRequests(operation);
  const given = new AbortController();
  const isAsked = async (): Promise<boolean> => (await countRequests(operation)) > before;
  void waitUntil(`the rail has a ${operation}`, isAsked).finally(() => {
    given.abort();
  });
  return given.signal;
}

/** A call whose answer is broken ends by it; one without an answer is given up. */
const limitCall = ({ kind, operation }: FaultRule): Promise<AbortSignal> =>
  kind === 'no_answer' ? giveUpOnceAsked(operation) : Promise.resolve(signal);

async function accept(rail: Rail, call: ChargeCall): Promise<string | null> {
  const answer = await rail.charge(call, NOBODY, signal);
  if (answer.result !== 'accepted') throw new Error(answer.result);
  return answer.railReference;
}

/** Of an order that a customer has paid. */
async function prepareRefund(rail: Rail) {
  const call = chargeOf(rail.name, 'QRIS');
  const railReference = await accept(rail, call);
  await control('POST', 'pay', { order_id: call.orderId });
  const found = await rail.inquirePayment(orderOf(call, railReference), signal);
  const { railTransactionId } = settlementOf(found);
  return { refund: refundOf(call, { railReference, railTransactionId }), paid: call.orderId };
}

/** Each way to break, whether the rail had taken it or not. */
async function breakEach(
  t: Test,
  operation: Operation,
  ask: (rule: FaultRule, limit: AbortSignal) => Promise<unknown>,
): Promise<void> {
  for (const kind of BREAKING) {
    for (const took of [true, false]) {
      const rule = { kind, operation, took, times: 1 };
      await plan(rule);
      const answer = await ask(rule, await limitCall(rule));
      t.same(answer, UNKNOWN, `${operation}: ${kind}, ${took ? 'taken' : 'not taken'}`);
    }
  }
  await plan();
}

for (const rail of RAILS) {
  t.test(
    `${rail.name}: a charge with a broken answer is unknown, and an inquiry finds its state`,
    async (t) => {
      await breakEach(t, 'charge', async ({ took }, limit) => {
        const call = chargeOf(rail.name, 'QRIS');
        const answer = await rail.charge(call, NOBODY, limit);
        const found = await rail.inquirePayment(orderOf(call), signal);
        t.equal(found.result, took === true && rail.name === 'midtrans' ? 'open' : 'unknown');
        if (took === true) t.ok(await control('GET', `orders/${call.orderId}`));
        else await t.rejects(control('GET', `orders/${call.orderId}`));
        return answer;
      });
    },
  );

  t.test(
    `${rail.name}: inquiries, closes and refunds with broken answers are unknown`,
    async (t) => {
      const call = chargeOf(rail.name, 'QRIS');
      const reference = await accept(rail, call);
      const order = orderOf(call, reference);
      await breakEach(t, 'status', (_, limit) => rail.inquirePayment(order, limit));
      await control('POST', 'pay', { order_id: call.orderId });
      await breakEach(t, 'status', (_, limit) => rail.inquirePayment(order, limit));
      await breakEach(t, 'refund', async ({ took }, limit) => {
        const { refund, paid } = await prepareRefund(rail);
        const answer = await rail.refund(refund, limit);
        const found = await rail.inquireRefund(refund, signal);
        t.match(found, { result: took === true ? /succeeded|pending/ : 'unknown' });
        t.match(await rail.refund(refund, signal), { result: /succeeded|pending/ }, 'asked again');
        const { refunds } = (await control('GET', `orders/${paid}`)) as { refunds: unknown[] };
        t.equal(refunds.length, 1, 'and refunded once');
        return answer;
      });
      for (const kind of BREAKING) {
        const other = chargeOf(rail.name, 'VA_BNI');
        const close = closeOf(other, await accept(rail, other));
        const rule = { kind, operation: 'close', times: 1 } as const;
        await plan(rule);
        t.same(await rail.close(close, await limitCall(rule)), UNKNOWN, `close: ${kind}`);
        await plan();
        t.same(await rail.close(close, signal), { result: 'closed' }, 'asked again');
      }
    },
  );

  t.test(
    `${rail.name}: slow, wrong, lagging and refusing answers are read as documented`,
    async (t) => {
      const slow = chargeOf(rail.name, 'QRIS');
      await plan({ kind: 'latency', operation: 'charge', ms: LATE_MS });
      const limit = await giveUpOnceAsked('charge');
      t.same(await rail.charge(slow, NOBODY, limit), UNKNOWN, 'later than we wait');
      await plan({ kind: 'latency', operation: 'charge', ms: SOON_MS });
      t.match(await rail.charge(chargeOf(rail.name, 'QRIS'), NOBODY, signal), {
        result: 'accepted',
      });
      await plan({ kind: 'wrong_amount', operation: 'charge' });
      t.same(await rail.charge(chargeOf(rail.name, 'QRIS'), NOBODY, signal), UNKNOWN);
      await plan({ kind: 'refuse', operation: 'charge' });
      t.same(await rail.charge(chargeOf(rail.name, 'QRIS'), NOBODY, signal), { result: 'refused' });
      await plan();
      const call = chargeOf(rail.name, 'QRIS');
      const reference = await accept(rail, call);
      const order = orderOf(call, reference);
      await plan({ kind: 'wrong_amount', operation: 'status' });
      t.same(await rail.inquirePayment(order, signal), UNKNOWN);
      await control('POST', 'pay', { order_id: call.orderId });
      t.match(
        await rail.inquirePayment(order, signal),
        { settlement: { amountMinor: 150_001n } },
        'the rail refuses',
      );
      await plan({ kind: 'lag', operation: 'status', subject: call.orderId, times: 1 });
      t.equal((await rail.inquirePayment(order, signal)).result, 'open', 'not yet');
      t.equal((await rail.inquirePayment(order, signal)).result, 'settled');
      await plan({ kind: 'refuse', operation: 'refund' });
      const { refund } = await prepareRefund(rail);
      t.same(await rail.refund(refund, signal), { result: 'manual_required' });
      await plan();
    },
  );

  t.test(
    `${rail.name}: a charge or refund at a rail without a connection was not sent, the rest is unknown`,
    async (t) => {
      const url = `http://127.0.0.1:${await findFreePort()}`;
      const open = openRails(railsAt({ midtransUrl: url, xenditUrl: url }), UNLIMITED);
      t.teardown(() => open.close());
      const absent = open.rails.get(rail.name);
      const call = chargeOf(rail.name, 'QRIS');
      t.same(await absent?.charge(call, NOBODY, signal), { result: 'not_sent' });
      t.same(await absent?.inquirePayment(orderOf(call, 'r'), signal), UNKNOWN);
      t.same(await absent?.close(closeOf(call, 'r'), signal), UNKNOWN);
      const refund = refundOf(call, { railReference: 'r', railTransactionId: 'tx' });
      t.same(await absent?.refund(refund, signal), { result: 'not_sent' });
      const over = AbortSignal.abort();
      t.same(await absent?.charge(call, NOBODY, over), UNKNOWN, 'given up before it began');
    },
  );
}

t.test('midtrans: a code that comes as a picture is read', async (t) => {
  await plan({ kind: 'no_qr_string', operation: 'charge' });
  const call = chargeOf('midtrans', 'QRIS');
  const { payBy } = (await control('GET', `orders/${await orderIdAfter(call)}`)) as {
    payBy: string;
  };
  t.match(await midtrans.inquirePayment(orderOf(call), signal), {
    charge: { instructions: { payload: payBy } },
  });
  await breakEach(t, 'picture', async (rule, limit) => {
    await plan({ kind: 'no_qr_string', operation: 'charge' }, rule);
    return midtrans.charge(chargeOf('midtrans', 'QRIS'), NOBODY, limit);
  });
});

async function orderIdAfter(call: ChargeCall): Promise<string> {
  await accept(midtrans, call);
  return call.orderId;
}

t.test(
  'xendit: a payout with a broken answer is unknown, and an inquiry finds its state',
  async (t) => {
    await breakEach(t, 'payout', async ({ took }, limit) => {
      const order = payoutOf();
      const answer = await xendit.payOut(order, limit);
      const found = await xendit.inquirePayout(order, signal);
      t.match(found, { result: took === true ? /pending|completed/ : 'unknown' });
      t.match(await xendit.payOut(order, signal), { result: /pending|completed/ }, 'asked again');
      return answer;
    });
    await plan({ kind: 'refuse', operation: 'payout' });
    t.match(await xendit.payOut(payoutOf(), signal), { result: 'failed' });
    await plan();
  },
);

t.test('charges under random faults: none is refused, none is made twice', async (t) => {
  const kinds = [...BREAKING, 'wrong_amount', 'latency'] as const;
  const rules = kinds.flatMap((kind): FaultRule[] =>
    (['charge', 'status'] as const).map((operation) => ({ kind, operation, rate: 0.12, ms: 50 })),
  );
  await control('PUT', 'faults', { seed: 7, rules });
  const soon = (): AbortSignal => AbortSignal.timeout(SOON_MS);
  const answers: string[] = [];
  const calls: [Rail, ChargeCall][] = [];
  const before = ((await control('GET', 'orders')) as { data: unknown[] }).data.length;
  for (let index = 0; index < 40; index += 1) {
    const rail: Rail = index % 2 === 0 ? midtrans : xendit;
    const call = chargeOf(rail.name, 'VA_BNI');
    calls.push([rail, call]);
    answers.push((await rail.charge(call, NOBODY, soon())).result);
    t.match((await rail.inquirePayment(orderOf(call), soon())).result, /^(open|unknown)$/);
  }
  t.ok(answers.includes('accepted') && answers.includes('unknown'));
  t.notOk(answers.includes('refused'));
  await plan();
  const { data } = (await control('GET', 'orders')) as { data: { orderId: string }[] };
  t.ok(data.length - before <= calls.length);
  for (const [rail, call] of calls.filter(([{ name }]) => name === 'midtrans')) {
    const isThere = data.some(({ orderId }) => orderId === call.orderId);
    t.equal(
      (await rail.inquirePayment(orderOf(call), signal)).result,
      isThere ? 'open' : 'unknown',
    );
  }
});
