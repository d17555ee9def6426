// What a worker has in hand, when entries come again, are lost, or are replaced.
import t from 'tap';
import { type HeldDelivery, HeldDeliveries } from '#actors/webhooks/deliveries/held-deliveries.js';
import type { ReadyEntry } from '#store/redis/webhooks/ready-entries.js';

const entryOf = (entryId: string, deliveryId = 'del_1'): ReadyEntry => ({
  ...{ partition: 3, entryId, deliveryId },
  ...{ endpointId: 'we_1', wasDeferred: false },
});

function take(inHand: HeldDeliveries, entry: ReadyEntry): HeldDelivery {
  const held = inHand.hold(entry);
  if (typeof held === 'string') throw new Error(held);
  return held;
}

t.test('a delivery is in hand once; a newer entry stands for it', (t) => {
  const inHand = new HeldDeliveries(() => 7);
  const held = take(inHand, entryOf('1-0'));
  t.equal(inHand.hold(entryOf('1-0')), 'known', 'taken over from itself');
  const newer = entryOf('2-0');
  t.equal(inHand.hold(newer), 'known');
  t.equal(held.entry, newer);
  inHand.releaseEntry(entryOf('1-0'));
  t.equal(inHand.size, 1, 'the older one ends without it');
  inHand.releaseEntry(newer);
  t.equal(inHand.size, 0);
  t.end();
});

t.test('what is lost is marked, unless it came again meanwhile', (t) => {
  const inHand = new HeldDeliveries(() => 7);
  const [lost, again, renewed] = [1, 2, 3].map((n) => take(inHand, entryOf(`${n}-0`, `del_${n}`)));
  const asked = inHand.list();
  inHand.hold(entryOf('9-0', 'del_2'));
  inHand.markLost(asked, ({ deliveryId }) => deliveryId !== 'del_3');
  t.strictSame([lost?.isLost, again?.isLost, renewed?.isLost], [true, false, false]);
  inHand.hold(entryOf('1-0', 'del_1'));
  t.equal(lost?.isLost, false, 'it is read again');
  t.end();
});

t.test('while its end is on its way', (t) => {
  const inHand = new HeldDeliveries(() => 7);
  const attempted = take(inHand, entryOf('1-0'));
  attempted.outcome = 'attempted';
  t.equal(inHand.hold(entryOf('1-0')), 'known');
  t.equal(inHand.hold(entryOf('2-0')), 'attempted', 'a newer entry ends with the attempt');
  t.equal(attempted.entry.entryId, '1-0');
  const given = take(inHand, entryOf('3-0', 'del_2'));
  given.outcome = 'unattempted';
  const fetched = take(inHand, entryOf('4-0', 'del_2'));
  t.not(fetched, given, 'it was fetched again');
  inHand.releaseEntry(given.entry);
  t.equal(inHand.size, 2, 'the end of the former leaves the newer one');
  inHand.release(fetched);
  t.equal(inHand.size, 1);
  t.end();
});
