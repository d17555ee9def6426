// LIVE payments through simulated rails with every fault, while processes are killed at random. At the end the payments
// agree with the rails' own orders, nothing was charged twice, the ledger is sound, and operator tasks report exactly the
// payments that were paid wrongly on purpose. Every payment, refund and payout that a rail has got ends, and a
// reconciliation of the day finds no difference. A seed replays the order of the faults. Short in `npm run test:all`; 2,000
// payments with `npm run test:faults:long`, which also waits for the expiry of those that nobody pays.
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { RailName } from '#actors/core/rails/rail-names.js';
import { deriveCallbackId } from '#actors/core/rails/live-rails.js';
import { findLastRailDay } from '#actors/core/tasks/rail-days.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import type { FaultRule } from '#ops/dev/rail-simulator/faults.js';
import { verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import {
  listOfferedRails,
  readDifferences,
  readReconciliations,
  type ReportedDifference,
} from '#store/postgres/rails/read-reconciliations.js';
import { requestReconciliations } from '#store/postgres/rails/reconciliations.js';
import { Client } from '#test/support/load/client.js';
import { createRandom } from '#test/support/load/random.js';
import {
  createTestMerchant,
  type RunningProcess,
  startProcess,
  TEST_KEYS,
  type Variables,
} from '#test/support/processes.js';
import { findDisagreements, loadLiveEvidence } from './agreement.js';
import { type Crowd, livePayment } from './customers.js';
import { findLeftOpen } from './left-open.js';
import { makeKey } from '#test/support/rails/payouts.js';
import { SIMULATED, simulateRails, type SimulatedRails } from '#test/support/rails/simulator.js';
import { BASE_URL } from '#test/support/serving.js';
import { createDatabase, startRedis } from '#test/support/servers.js';

const IS_LONG = process.env['KASIR_FAULTS'] === 'long';
const PAYMENTS = IS_LONG ? 2_000 : 120;
const SEED = Number(process.env['KASIR_SEED'] ?? 20261121);
const AT_ONCE = 24;
const RATE = 0.05;
const KILL_EVERY_MS = 1_500;
const AGREES_MS = 90_000;
/** In the long run the payments that nobody pays expire, with two minutes of grace, before the end. */
const EXPIRES_IN_S = IS_LONG ? 180 : undefined;
const ENDS_MS = IS_LONG ? 480_000 : 60_000;
const RECONCILED_MS = 120_000;

/** Every kind but `stuck`, which keeps a refund or payout until its deadline of hours. */
const RULES: readonly FaultRule[] = [
  ...(['charge', 'status', 'close', 'refund', 'payout'] as const).flatMap(
    (operation): FaultRule[] => [
      { operation, kind: 'latency', ms: 3_000, rate: RATE },
      { operation, kind: 'no_answer', rate: RATE },
      { operation, kind: 'server_error', rate: RATE },
      { operation, kind: 'server_error', took: false, rate: RATE },
      { operation, kind: 'html', rate: RATE },
      { operation, kind: 'reset', rate: RATE },
    ],
  ),
  // Not of charges: a throttled one is sent again, and the evidence counts requests.
  ...(['status', 'close', 'refund', 'payout'] as const).map((operation): FaultRule => ({
    ...{ operation, kind: 'throttle', ms: 1_000, rate: RATE },
  })),
  { operation: 'charge', kind: 'refuse', rate: RATE },
  { operation: 'charge', kind: 'wrong_amount', rate: RATE },
  { operation: 'charge', kind: 'no_qr_string', rate: RATE },
  { operation: 'picture', kind: 'server_error', rate: RATE },
  { operation: 'status', kind: 'lag', rate: RATE },
  ...(['lost', 'doubled', 'late', 'reordered', 'forged'] as const).map((kind): FaultRule => ({
    operation: 'callback',
    kind,
    rate: RATE,
  })),
];

interface LiveStage {
  readonly rails: SimulatedRails;
  readonly sql: Postgres;
  readonly liveKey: string;
  readonly gateways: readonly RunningProcess[];
  readonly processes: readonly RunningProcess[];
}

async function startLiveStage(t: Test): Promise<LiveStage> {
  const redis = await startRedis(t);
  const databaseUrl = await createDatabase(t);
  const rails = await simulateRails(t, { bankMs: 20 });
  const merchant = await createTestMerchant(databaseUrl, { isLiveEnabled: true });
  const variables: Variables = {
    ...{ LEASE_MS: '1500', PARTITIONS: '16', LOG_LEVEL: 'warn', BASE_URL },
    ...{ REDIS_URL: redis.url, DATABASE_URL: databaseUrl, LIVE_WAIT_MS: '4000' },
    RAIL_MIDTRANS_URL: rails.simulator.midtransUrl,
    RAIL_MIDTRANS_SERVER_KEY: SIMULATED.midtransServerKey,
    RAIL_XENDIT_URL: rails.simulator.xenditUrl,
    RAIL_XENDIT_SECRET_KEY: SIMULATED.xenditSecretKey,
    RAIL_XENDIT_CALLBACK_TOKEN: SIMULATED.xenditCallbackToken,
    RAIL_ROUTES: 'QRIS=midtrans,xendit;VA_BCA=xendit,midtrans;VA_BNI=xendit;VA_MANDIRI=midtrans',
    ...{ RAIL_TIMEOUT_MS: '1500', RAIL_SYNC_SCHEDULE: '1,1,2,2,3' },
  };
  const startTwo = (name: 'gateway' | 'payments' | 'rails') =>
    Promise.all([startProcess(t, name, variables), startProcess(t, name, variables)]);
  const others = [...(await startTwo('payments')), ...(await startTwo('rails'))];
  const gateways = await startTwo('gateway');
  const sql = openPostgres(databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  await rails.control('PUT', 'targets', {
    midtrans: callbackUrl(gateways[0], 'midtrans'),
    xendit: callbackUrl(gateways[1], 'xendit'),
  });
  const scopes = ['read', 'write', 'payouts'];
  const liveKey = await makeKey(sql, merchant.merchantId, 'LIVE', scopes);
  return { rails, sql, liveKey, gateways, processes: [...gateways, ...others] };
}

function callbackUrl({ baseUrl }: RunningProcess, rail: RailName): string {
  return `${baseUrl}/v1/rails/${deriveCallbackId(Buffer.from(TEST_KEYS.ID_KEY, 'base64'), rail)}/callbacks`;
}

/** Kills and restarts random processes until `stop`, which returns the number of kills. */
function startKiller(processes: readonly RunningProcess[], random: () => number) {
  let isOver = false;
  let kills = 0;
  const killing = (async () => {
    while (!isOver) {
      await sleep(KILL_EVERY_MS * (0.5 + random()));
      const victim = processes[Math.floor(random() * processes.length)];
      await victim?.kill();
      await victim?.start();
      kills += 1;
    }
  })();
  return {
    stop: async (): Promise<number> => {
      isOver = true;
      await killing;
      return kills;
    },
  };
}

/** The differences of this day, which is not over yet. */
async function reconcileToday(sql: Postgres): Promise<readonly ReportedDifference[]> {
  const day = findLastRailDay(Date.now() + 86_400_000);
  const rails = await listOfferedRails(sql);
  await requestReconciliations(
    sql,
    rails.map((rail) => ({ rail, day })),
  );
  await waitUntil(
    'the reconciliations have ended',
    async () => {
      const reports = await readReconciliations(sql, day);
      return reports.length === rails.length && reports.every(({ isEnded }) => isEnded);
    },
    RECONCILED_MS,
  );
  const found = rails.map((rail) => readDifferences(sql, { rail, day }, null, 100));
  return (await Promise.all(found)).flat();
}

t.test(
  `payments at faulty rails under random kills agree with the rails, seed ${SEED}`,
  { timeout: IS_LONG ? 1_800_000 : 300_000 },
  async (t) => {
    const stage = await startLiveStage(t);
    const { rails, sql, gateways } = stage;
    const random = createRandom(SEED);
    await rails.control('PUT', 'faults', { seed: SEED, rules: RULES });
    const client = new Client(stage.liveKey);
    t.teardown(() => client.close());
    const crowd: Crowd = {
      client,
      gateways: gateways.map(({ baseUrl }) => baseUrl),
      control: rails.control,
      random,
      expiresInS: EXPIRES_IN_S,
      mismatches: new Set(),
      answers: new Map(),
    };
    const killer = startKiller(stage.processes, random);
    let next = 0;
    const work = async (): Promise<void> => {
      for (let number = next++; number < PAYMENTS; number = next++) {
        await livePayment(crowd, `live-${SEED}-${number}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const kills = await killer.stop();
    await rails.plan();
    t.comment(`${PAYMENTS} payments, ${kills} kills`, Object.fromEntries(crowd.answers));

    let left = await findLeftOpen(sql, rails.control, IS_LONG);
    await waitUntil(
      'every object has ended',
      async () => {
        left = await findLeftOpen(sql, rails.control, IS_LONG);
        return left.started.length === 0;
      },
      ENDS_MS,
    ).catch(() => {});
    t.strictSame(left.started, [], 'every object that a rail has got has ended');
    t.comment(`refunds and payouts that their rail never got: ${left.unsent.length}`);

    let evidence = await loadLiveEvidence(sql, rails.control);
    await waitUntil(
      'payments and rails agree',
      async () => {
        evidence = await loadLiveEvidence(sql, rails.control);
        return findDisagreements(evidence).length === 0;
      },
      AGREES_MS,
    ).catch(() => {});
    t.strictSame(findDisagreements(evidence), [], 'payments and rails agree');
    t.ok(evidence.orders.length >= PAYMENTS / 2, 'rails have taken orders');
    const keys = new Set(evidence.states.map(({ request }) => request.referenceId));
    t.equal(keys.size, evidence.states.length, 'one payment a key');
    // A create is refused while all rails of its method pause, so its key may have no payment.
    const refused = crowd.answers.get('POST /v1/payments 400') ?? 0;
    t.ok(keys.size >= PAYMENTS - refused && keys.size <= PAYMENTS, 'every key except refused ones');

    const tasks = await sql<{ kind: string; orderId: string | null }[]>`
    select kind, details::json ->> 'orderId' as "orderId" from operator_tasks where status = 'open'`;
    const unresolved = evidence.states.flatMap(({ failureCode, attempts }) =>
      attempts.filter(({ status }) => failureCode !== null && status === 'charging'),
    );
    t.strictSame(
      tasks.map(({ kind, orderId }) => `${kind} ${orderId}`).sort(),
      [
        ...[...crowd.mismatches].map((orderId) => `settlement_suspended ${orderId}`),
        ...unresolved.map(({ orderId }) => `attempt_unresolved ${orderId}`),
      ].sort(),
      'operator tasks report exactly the wrong payments and the charges without an answer',
    );
    const paid = await sql<{ id: string; told: number }[]>`
    select payment_id as id, count(*)::integer as told from payment_events
     where type = 'payment_paid' and envelope is not null group by payment_id`;
    t.strictSame(
      new Map(paid.map(({ id, told }) => [id, told])),
      new Map(evidence.states.filter(({ capture }) => capture !== null).map(({ id }) => [id, 1])),
      'one payment.paid for each accepted settlement',
    );
    const differences = await reconcileToday(sql);
    t.strictSame(
      differences.filter(({ orderId }) => !left.unsent.includes(orderId)),
      [],
      'a reconciliation finds no difference but payouts that their rail never got',
    );
    const ledger = await verifyLedger(sql);
    t.strictSame(ledger.faults, [], 'the ledger is sound');
    const quarantined = await sql`select command, error from quarantined_commands`;
    t.strictSame([...quarantined], [], 'no command was quarantined');
  },
);
