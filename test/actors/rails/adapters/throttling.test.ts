// Requests to rails stay within a budget that several processes share, and a reply 429 is never an outcome: the request
// is sent again after Retry-After.
import t, { type Test } from 'tap';
import type { Rail } from '#actors/rails/adapters/rail.js';
import { createRequestBudget, type RailOperation } from '#actors/rails/adapters/request-budget.js';
import { openRails } from '#actors/rails/rail-registry.js';
import { Buckets } from '#store/redis/limits/buckets.js';
import { openRedis, waitUntilReady } from '#store/redis/client.js';
import { countRequests } from '#store/redis/limits/count-requests.js';
import { WAIT_MS, waitUntil } from '#ops/dev/launch/wait-until.js';
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

/** 5 at once, then one in two seconds. */
const PER_MINUTE = 30;
const BURST = 5;
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

/** A process with a budget, and how often it has told Redis of its requests. */
async function openProcess(t: Test, redisUrl: string) {
  const redis = openRedis(redisUrl, () => {});
  await waitUntilReady(redis, WAIT_MS);
  const process = { syncs: 0, countFree, isFree };
  const buckets = new Buckets({
    count: async (counts) => {
      const levels = await countRequests(redis, counts);
      process.syncs += 1;
      return levels;
    },
    monotonicMs: () => performance.now(),
  });
  t.teardown(async () => {
    await buckets.stop();
    redis.disconnect();
  });
  const numbers = new Map([
    ['inquiry', 6],
    ['xendit.inquiry', PER_MINUTE],
  ]);
  const budget = createRequestBudget('xendit', { numbers, buckets, onThrottled: () => {} });
  /** Takes one request if it need not wait. */
  function isFree(operation: RailOperation): Promise<boolean> {
    const stopped = new AbortController();
    const taken = budget.take(operation, stopped.signal);
    stopped.abort();
    return taken;
  }
  async function countFree(operation: RailOperation): Promise<number> {
    let free = 0;
    while (free < 10 * BURST && (await isFree(operation))) free += 1;
    return free;
  }
  return process;
}

t.test('two processes together stay within the budget of an operation', async (t) => {
  const server = await startRedis(t);
  const first = await openProcess(t, server.url);
  const second = await openProcess(t, server.url);
  t.ok((await first.countFree('inquiry')) >= BURST, 'the number of the rail counts');
  await waitUntil('the first has told Redis', () => first.syncs > 0);
  // A process that counted alone would let in a whole burst. On a slow machine requests drain meanwhile.
  let letIn = 0;
  await waitUntil('the second waits for requests of the first', async () => {
    await first.countFree('inquiry');
    const { syncs } = second;
    if (!(await second.isFree('inquiry'))) return true;
    letIn += 1;
    await waitUntil('the second has told Redis', () => second.syncs > syncs);
    return false;
  });
  t.ok(letIn < BURST, `the second let in ${letIn}`);
  t.equal(await first.countFree('charge'), 10 * BURST, 'another operation has no limit');
});

t.test('a budget for an unknown operation stops the start', (t) => {
  const config = { ...railsAt(simulator), budgets: new Map([['inquiries', 5]]) };
  t.throws(() => openRails(config, UNLIMITED), /RAIL_BUDGETS: inquiries must be one of charge, /);
  t.end();
});
