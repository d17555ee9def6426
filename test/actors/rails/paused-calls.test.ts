// A process that is paused between the claim of a call and the call: another one may have inquired and decided meanwhile.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { decide, deriveEffects, evolve } from '#actors/core/payment/state-machine.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import { encodeRailCall } from '#actors/core/payment/wire/rail-call.js';
import { encodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import type { RailCall } from '#actors/core/payment/rail-calls.js';
import { openCallStore } from '#actors/rails/calls/ports.js';
import { serveRails } from '#actors/rails/serve-rails.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { createLog } from '#ops/runtime/log.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { create } from '#test/core/payment/samples.js';
import { ACCEPTED, startScriptedRail } from '#test/support/rails/scripted-rail.js';
import { createDatabase } from '#test/support/servers.js';
import { createTestMerchant } from '#test/support/processes.js';

const WITHIN_MS = 10_000;
/** Longer than the time in which the answer to a call has to be stored. */
const PAUSE_MS = 6_000;

const databaseUrl = await createDatabase(t);
const { merchantId } = await createTestMerchant(databaseUrl, { isLiveEnabled: true });
const sql = openPostgres(databaseUrl, 'test', 4);
const midtrans = await startScriptedRail(t, 'midtrans');
midtrans.answer('charge', () => ACCEPTED);
const readMs = performance.now.bind(performance);
let pausedMs = 0;
performance.now = () => readMs() + pausedMs;
const giveUp = new AbortController();
const served = serveRails(
  {
    ...{ store: openCallStore(pauseAfterClaims(sql)), clock: SYSTEM_CLOCK },
    ...{ timeoutMs: 3_000, scheduleS: [60], isOn: () => true },
    ...{ send: () => undefined, onAnswer: () => undefined, giveUp: giveUp.signal },
    log: createLog({ logLevel: 'silent' }, 'rails'),
  },
  [midtrans.rail],
);
t.teardown(async () => {
  giveUp.abort();
  await served.stop();
  await sql.end({ timeout: 1 });
});

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

/** Stores a LIVE payment with its due charge. */
async function storeCharge(): Promise<RailCall> {
  const paymentId = makeId('pay', randomBytes(16));
  const command = { ...create('LIVE', { paymentMethod: 'QRIS' }), paymentId, merchantId };
  let state: PaymentState | undefined;
  const calls: RailCall[] = [];
  for (const event of decide(state, command, Date.now()).events) {
    state = evolve(state, event);
    calls.push(...deriveEffects(state, event).railCalls);
  }
  const [call] = calls;
  if (state === undefined || call === undefined) throw new Error('the create has no charge');
  await sql`
    insert into payments (id, merchant_id, environment, status, amount, currency, created_at, version, snapshot)
    values (${paymentId}, ${merchantId}, 'LIVE', 'creating', 150000, 'IDR', now(), ${state.version},
            ${encodeSnapshot(state)})`;
  await sql`
    insert into rail_calls (id, payment_id, merchant_id, rail, operation, request, due_at)
    values (${call.id}, ${paymentId}, ${merchantId}, 'midtrans', 'charge', ${encodeRailCall(call)}, now())`;
  served.wake(undefined);
  return call;
}

const findAnswer = ({ id }: RailCall): Promise<string> =>
  waitUntil('the call is answered', WITHIN_MS, async () => {
    const [row] = await sql<{ answer: string | null }[]>`
      select answer from rail_calls where id = ${id} and state = 'answered'`;
    return row?.answer;
  });

t.test('a charge is made right after its claim', async (t) => {
  const call = await storeCharge();
  t.match(await findAnswer(call), /"accepted"/);
  t.equal(midtrans.count('charge', call.orderId), 1);
});

t.test('a charge whose process was paused after the claim is not made', async (t) => {
  isPausing = true;
  const call = await storeCharge();
  t.match(await findAnswer(call), /"refused"/, 'so that another rail may be tried');
  t.equal(midtrans.count('charge', call.orderId), 0);
});
