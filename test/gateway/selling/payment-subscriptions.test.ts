// Subscriptions of pages to their payments.
import t from 'tap';
import { PaymentSubscriptions } from '#gateway/selling/checkout/payment-subscriptions.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { createLog } from '#ops/runtime/log.js';
import type { TestScope } from '#test/support/servers.js';

const buildClient = (send: (text: string) => unknown, reject = (): void => undefined) => ({
  send: (text: string) => void send(text),
  reject,
});

function start(t: TestScope): {
  watch: PaymentSubscriptions;
  snapshots: Map<string, string>;
  queries: string[][];
  state: { isBroken: boolean };
} {
  const snapshots = new Map([['a', '1']]);
  const queries: string[][] = [];
  const state = { isBroken: false };
  const watch = new PaymentSubscriptions({
    load: (ids) => {
      queries.push([...ids]);
      if (state.isBroken) return Promise.reject(new Error('away'));
      return Promise.resolve(new Map([...snapshots].filter(([id]) => ids.includes(id))));
    },
    describe: (snapshot) => `told ${snapshot}`,
    log: createLog({ logLevel: 'silent' }, 'gateway'),
  });
  t.teardown(() => watch.stop());
  return { watch, snapshots, queries, state };
}

t.test('a subscriber gets the current text, and each change once', async (t) => {
  const { watch, snapshots } = start(t);
  const first: string[] = [];
  const second: string[] = [];
  const leaveFirst = watch.subscribe(
    'a',
    buildClient((text) => first.push(text)),
  );
  await waitUntil('the first text', () => first.length === 1);
  const leaveSecond = watch.subscribe(
    'a',
    buildClient((text) => second.push(text)),
  );
  t.same(second, ['told 1'], 'what is known is told at once');
  snapshots.set('a', '2');
  await waitUntil('the change', () => first.length === 2);
  t.same(first, ['told 1', 'told 2']);
  t.same(second, first);
  leaveFirst();
  snapshots.set('a', '3');
  await waitUntil('the next change', () => second.length === 3);
  t.equal(first.length, 2, 'an ended subscription gets nothing');
  leaveSecond();
  t.equal(watch.size, 0);
});

t.test('no query without subscribers', async (t) => {
  const { watch, queries } = start(t);
  watch.subscribe(
    'b',
    buildClient(() => undefined),
  )();
  const heard: string[] = [];
  watch.subscribe(
    'a',
    buildClient((text) => heard.push(text)),
  );
  await waitUntil('the text', () => heard.length === 1);
  t.same(queries, [['a']], 'the ended subscription was never read');
});

t.test('a failed query is repeated', async (t) => {
  const { watch, queries, state } = start(t);
  const heard: string[] = [];
  state.isBroken = true;
  watch.subscribe(
    'a',
    buildClient((text) => heard.push(text)),
  );
  await waitUntil('a failed query', () => queries.length > 1);
  state.isBroken = false;
  await waitUntil('the text', () => heard.length === 1);
  t.same(heard, ['told 1']);
});

t.test('a subscriber to a payment that does not exist is rejected once', async (t) => {
  const { watch, queries } = start(t);
  const rejected: string[] = [];
  const heard: string[] = [];
  watch.subscribe(
    'b',
    buildClient(
      () => undefined,
      () => void rejected.push('b'),
    ),
  );
  watch.subscribe(
    'a',
    buildClient((text) => heard.push(text)),
  );
  await waitUntil('the rejection', () => rejected.length > 0);
  const read = queries.length;
  await waitUntil('another reading', () => queries.length > read + 1);
  t.same(rejected, ['b']);
  t.same(heard, ['told 1'], 'others stay');
  t.equal(watch.size, 1, 'its place is free');
});

t.test('no subscription is accepted after the stop', async (t) => {
  const { watch } = start(t);
  t.ok(watch.hasRoom());
  await watch.stop();
  t.notOk(watch.hasRoom());
});
