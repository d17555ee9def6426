// The deliveries that a worker holds, when entries are read again, lost, or replaced.
import t from 'tap';
import { type HeldDelivery, HeldDeliveries } from '#actors/webhooks/deliveries/held-deliveries.js';
import type { ReadyEntry } from '#store/redis/webhooks/ready-entries.js';

const buildEntry = (entryId: string, deliveryId = 'del_1'): ReadyEntry => ({
  ...{ partition: 3, entryId, deliveryId },
  ...{ endpointId: 'we_1', wasDeferred: false },
});

function hold(deliveries: HeldDeliveries, entry: ReadyEntry): HeldDelivery {
  const held = deliveries.hold(entry, 7);
  if (typeof held === 'string') throw new Error(held);
  return held;
}

t.test('a delivery whose newer entry is read is held once, under the newer entry', (t) => {
  const deliveries = new HeldDeliveries();
  const held = hold(deliveries, buildEntry('1-0'));
  t.equal(deliveries.hold(buildEntry('1-0'), 7), 'known', 'the same entry again');
  const newer = buildEntry('2-0');
  t.equal(deliveries.hold(newer, 7), 'known');
  t.equal(held.entry, newer);
  deliveries.releaseEntry(buildEntry('1-0'));
  t.equal(deliveries.size, 1, 'the older entry releases nothing');
  deliveries.releaseEntry(newer);
  t.equal(deliveries.size, 0);
  t.end();
});

t.test('a lost delivery is marked unless a newer entry replaced it meanwhile', (t) => {
  const deliveries = new HeldDeliveries();
  const [lost, again, renewed] = [1, 2, 3].map((n) =>
    hold(deliveries, buildEntry(`${n}-0`, `del_${n}`)),
  );
  const asked = deliveries.list();
  deliveries.hold(buildEntry('9-0', 'del_2'), 7);
  deliveries.renew(asked, 9, ({ deliveryId }) => deliveryId !== 'del_3');
  t.strictSame([lost?.isLost, again?.isLost, renewed?.isLost], [true, false, false]);
  t.strictSame([again?.leasedAtMs, renewed?.leasedAtMs], [7, 9], 'only the asked entry is renewed');
  deliveries.hold(buildEntry('1-0', 'del_1'), 7);
  t.equal(lost?.isLost, false, 'read again, it is not lost any more');
  t.end();
});

t.test(
  'a newer entry read while an outcome is written is finished after an attempt, else held anew',
  (t) => {
    const deliveries = new HeldDeliveries();
    const attempted = hold(deliveries, buildEntry('1-0'));
    attempted.outcome = 'attempted';
    t.equal(deliveries.hold(buildEntry('1-0'), 7), 'known');
    t.equal(
      deliveries.hold(buildEntry('2-0'), 7),
      'attempted',
      'the attempt covers the newer entry',
    );
    t.equal(attempted.entry.entryId, '1-0');
    const unattempted = hold(deliveries, buildEntry('3-0', 'del_2'));
    unattempted.outcome = 'unattempted';
    const fetched = hold(deliveries, buildEntry('4-0', 'del_2'));
    t.not(fetched, unattempted, 'the fetched entry is a delivery of its own');
    deliveries.releaseEntry(unattempted.entry);
    t.equal(deliveries.size, 2, 'finishing the former entry leaves the newer one');
    deliveries.release(fetched);
    t.equal(deliveries.size, 1);
    t.end();
  },
);

t.test('the oldest lease is that of a delivery that may be attempted', (t) => {
  const deliveries = new HeldDeliveries();
  t.equal(deliveries.findOldestLease(), null);
  for (const ms of [4, 3, 2, 1]) deliveries.hold(buildEntry(`${ms}-0`, `del_${ms}`), ms);
  const [, , lost, recorded] = deliveries.list().keys();
  Object.assign(lost ?? {}, { isLost: true });
  Object.assign(recorded ?? {}, { outcome: 'attempted' });
  t.equal(deliveries.findOldestLease(), 3);
  t.end();
});
