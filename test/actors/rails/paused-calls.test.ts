// A process that is paused between the claim of a call and the call: another one may have inquired and decided meanwhile.
import t from 'tap';
import type { Postgres } from '#store/postgres/client.js';
import { openChargeStage } from '#test/support/rails/stored-charges.js';

/** Longer than the time in which the answer to a call has to be stored. */
const PAUSE_MS = 6_000;

const readMs = performance.now.bind(performance);
let pausedMs = 0;
performance.now = () => readMs() + pausedMs;
t.teardown(() => (performance.now = readMs));
let isPausing = false;

/** Moves the monotonic clock on while a statement claims a call: the process sees the answer after a pause. */
function pauseAfterClaims(real: Postgres): Postgres {
  return new Proxy(real, {
    apply: (target, _this, args: unknown[]) => {
      const query = Reflect.apply(target, undefined, args) as PromiseLike<unknown>;
      const isClaim = Array.isArray(args[0]) && args[0].join('').includes("set state = 'sent'");
      if (!isClaim || !isPausing) return query;
      return query.then((rows) => {
        pausedMs += PAUSE_MS;
        return rows;
      });
    },
  });
}

const { midtrans, startCharge, findAnswer } = await openChargeStage(t, pauseAfterClaims);

t.test('a charge is made right after its claim', async (t) => {
  const call = await startCharge();
  t.match(await findAnswer(call), /"accepted"/);
  t.equal(midtrans.count('charge', call.orderId), 1);
});

t.test('a charge whose process was paused after the claim is not made', async (t) => {
  isPausing = true;
  const call = await startCharge();
  t.match(await findAnswer(call), /"refused"/, 'so that another rail may be tried');
  t.equal(midtrans.count('charge', call.orderId), 0);
});
