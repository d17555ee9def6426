// Requests to rails stay within a budget that several processes share, and a reply 429 is never an outcome: the request
// is sent again after Retry-After.
import t from 'tap';
import type { Rail } from '#actors/rails/adapters/rail.js';
import { createRequestBudget } from '#actors/rails/adapters/request-budget.js';
import { openRails } from '#actors/rails/rail-registry.js';
import { Buckets } from '#store/redis/buckets.js';
import { openRedis, waitUntilReady } from '#store/redis/client.js';
import { countRequests } from '#store/redis/count-requests.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import {
  chargeOf,
  closeOf,
  NOBODY,
  orderOf,
  payoutOf,
  refundOf,
} from '#test/support/rails/orders.js';
import { railsAt, settlementOf, simulateRails, UNLIMITED } from '#test/support/rails/simulator.js';
import { startRedis } from '#test/support/servers.js';

const DEADLINE_MS = 10_000;
const SHORT_MS = 300;
const { signal } = new AbortController();
const { control, midtrans, plan, simulator, xendit } = await simulateRails(t);
const RAILS: readonly Rail[] = [midtrans, xendit];

for (const rail of RAILS) {
  t.test(
    `${rail.name}: a throttled request is sent again, and its outcome is the rail's`,
    async (t) => {
      await plan({ kind: 'throttle', operation: 'charge', ms: 1, times: 1 });
      const call = chargeOf(rail.name, 'QRIS');
      const charged = await rail.charge(call, NOBODY, signal);
      t.equal(charged.result, 'accepted');
      if (charged.result !== 'accepted') return;
      const { railReference } = charged;
      await control('POST', 'pay', { order_id: call.orderId });
      await plan({ kind: 'throttle', operation: 'status', ms: 1, times: 1 });
      const found = await rail.inquirePayment(orderOf(call, railReference), signal);
      t.equal(found.result, 'settled');
      const { railTransactionId } = settlementOf(found);
      await plan({ kind: 'throttle', operation: 'refund', ms: 1, times: 1 });
      const refund = refundOf(call, { railReference, railTransactionId });
      t.match(await rail.refund(refund, signal), { result: /succeeded|pending/ });
      const other = chargeOf(rail.name, 'QRIS');
      const open = await rail.charge(other, NOBODY, signal);
      await plan({ kind: 'throttle', operation: 'close', ms: 1, times: 1 });
      const reference = open.result === 'accepted' ? open.railReference : null;
      t.same(await rail.close(closeOf(other, reference), signal), { result: 'closed' });
      await plan();
    },
  );

  t.test(`${rail.name}: a charge that stays throttled until its time-out is unknown`, async (t) => {
    await plan({ kind: 'throttle', operation: 'charge', ms: 60_000 });
    const call = chargeOf(rail.name, 'QRIS');
    const answer = await rail.charge(call, NOBODY, AbortSignal.timeout(SHORT_MS));
    t.same(answer, { result: 'unknown' });
    await t.rejects(control('GET', `orders/${call.orderId}`), 'the rail has no order');
    await plan();
  });
}

t.test('xendit: a throttled payout is sent again and does not fail', async (t) => {
  await plan({ kind: 'throttle', operation: 'payout', ms: 1, times: 1 });
  t.match(await xendit.payOut(payoutOf(), signal), { result: /completed|pending/ });
  await plan();
});

t.test('two processes together stay within the budget of an operation', async (t) => {
  const server = await startRedis(t);
  const budgets = await Promise.all(
    [1, 2].map(async () => {
      const redis = openRedis(server.url, () => {});
      await waitUntilReady(redis, DEADLINE_MS);
      const buckets = new Buckets({
        count: (counts) => countRequests(redis, counts),
        monotonicMs: () => performance.now(),
      });
      t.teardown(async () => {
        await buckets.stop();
        redis.disconnect();
      });
      // 600 in a minute: 100 at once, then one in 100 ms.
      return createRequestBudget('xendit', {
        numbers: new Map([
          ['inquiry', 6],
          ['xendit.inquiry', 600],
        ]),
        buckets,
        onThrottled: () => {},
      });
    }),
  );
  let taken = 0;
  const beganMs = performance.now();
  const stopped = new AbortController();
  const takers = budgets.map(async (budget) => {
    while (await budget.take('inquiry', stopped.signal)) taken += 1;
  });
  await waitUntil('the burst and some more are taken', () => taken > 110);
  stopped.abort();
  await Promise.all(takers);
  const allowed = 100 + (performance.now() - beganMs) / 100;
  // Each process may let in one burst before it knows of the other.
  t.ok(taken <= 2 * allowed, `${taken} of ${Math.round(allowed)}`);
  const [first] = budgets;
  t.equal(await first?.take('charge', signal), true, 'another operation has no limit');
});

t.test('a budget for an unknown operation stops the start', (t) => {
  const config = { ...railsAt(simulator), budgets: new Map([['inquiries', 5]]) };
  t.throws(() => openRails(config, UNLIMITED), /RAIL_BUDGETS: inquiries must be one of charge, /);
  t.end();
});
