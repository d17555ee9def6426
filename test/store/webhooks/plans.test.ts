// Plans that were made while the tables were empty still find deliveries, events and endpoints by key when many wait. (The
// tables are not analyzed here, as in a new installation, or they were analyzed while they were empty.)
import t, { type Test } from 'tap';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { BY_KEY, openPostgres, type Postgres } from '#store/postgres/client.js';
import {
  FIRST_PLACE,
  findOverdue,
  findOverdueOf,
  loadDeliveries,
} from '#store/postgres/webhooks/due-deliveries.js';
import { loadLiveEndpoints } from '#store/postgres/webhooks/endpoint-secrets.js';
import { ensureCursors } from '#store/postgres/cursors.js';
import { fanOut } from '#store/postgres/webhooks/fan-out.js';
import { recordAttempts, settleUnrecorded } from '#store/postgres/webhooks/record-attempts.js';
import { createTestMerchant } from '#test/support/processes.js';
import { createDatabase, fillTables } from '#test/support/servers.js';
import { addEndpoint, addEvents } from '#test/support/webhooks/outbox.js';

/** Rows of each table that no statement below is about. */
const BESIDE = 3_000;
const EVENTS = 4;
/** Rows of these tables that the statements for EVENTS events may read. */
const FEW = 150;
const TABLES = 'webhook_deliveries,webhook_endpoints,webhook_endpoint_failures,payment_events';

interface Scene {
  readonly sql: Postgres;
  readonly beside: Postgres;
  readonly merchantId: string;
  readonly endpointId: string;
}

async function openScene(t: Test): Promise<Scene> {
  const url = await createDatabase(t);
  const sql = openPostgres(url, 'test', 1, { plans: BY_KEY });
  const beside = openPostgres(url, 'test beside', 1);
  t.teardown(() => Promise.all([sql, beside].map((pool) => pool.end())));
  await checkInstallation(sql, { partitions: 16, idKey: Buffer.alloc(32, 7) });
  await ensureCursors(sql);
  const { merchantId } = await createTestMerchant(url);
  const endpoint = await addEndpoint(beside, merchantId, 'https://example.com/hook');
  return { sql, beside, merchantId, endpointId: endpoint.id };
}

/** Runs the statements that deliver EVENTS events: one attempt fails, one cannot be stored. */
async function serve({ sql, beside, merchantId, endpointId }: Scene): Promise<void> {
  await addEvents(beside, merchantId, EVENTS);
  const { deliveries } = await fanOut(sql);
  const loaded = await loadDeliveries(
    sql,
    deliveries.map(({ id }) => id),
  );
  if (loaded.size !== EVENTS) throw new Error(`${loaded.size} deliveries were loaded`);
  const [refused, ...rows] = [...loaded.keys()].map((deliveryId, index) => ({
    ...{ deliveryId, attempt: 1, beganMs: performance.now(), durationMs: 5, statusCode: 200 },
    ...(index % 2 === 1
      ? { failure: 'http_status' as const, status: 'pending' as const, nextInMs: 60_000 }
      : { failure: null, status: 'delivered' as const, nextInMs: null }),
    ...{ error: null, excerpt: null, signatures: null },
  }));
  await recordAttempts(sql, rows);
  if (refused !== undefined) await settleUnrecorded(sql, refused);
  await loadLiveEndpoints(sql, [endpointId]);
  const recent = { after: FIRST_PLACE, withinMs: 10_000 };
  await findOverdue(sql, recent, 1_000);
  await findOverdueOf(sql, endpointId, FIRST_PLACE, 1_000);
}

/** Fills the tables beside: events that were fanned out, and their deliveries, at endpoints of another merchant. */
const fillBeside = (beside: Postgres, name: string, status: 'pending' | 'delivered') =>
  fillTables(beside, async (tx) => {
    const merchantId = `mer_${name}`;
    await tx`insert into merchants (id, business_name) values (${merchantId}, 'x')`;
    await tx`
      insert into webhook_endpoints (id, merchant_id, environment, url, secret)
      select ${name} || n, ${merchantId}, 'TEST', 'https://example.com', ''
        from generate_series(1, ${BESIDE}::integer) as n`;
    await tx`
      insert into webhook_endpoint_failures (endpoint_id)
      select ${name} || n from generate_series(1, ${BESIDE}::integer) as n
       where ${status} = 'pending'`;
    await tx`
      insert into payment_events (partition, position_ms, position_seq, index, payment_id, version, type,
                                  at, event, merchant_id, environment, envelope)
      select n % ${EVENTS}, n, 0, (${status} = 'pending')::integer, ${name} || n, 2, 'settled', now(),
             '{}', ${merchantId}, 'TEST', '{}'
        from generate_series(1, ${BESIDE}::integer) as n`;
    await tx`
      update webhook_cursors set position_ms = greatest(position_ms, ${BESIDE}::integer + 1)`;
    await tx`
      insert into webhook_deliveries (id, event_id, endpoint_id, payment_id, version, type, status,
                                      next_attempt_at, settled_at)
      select ${name} || n, ${name} || n, ${name} || n, ${name} || n, 2, 'payment.paid', ${status},
             now() - interval '1 minute', case when ${status} <> 'pending' then now() end
        from generate_series(1, ${BESIDE}::integer) as n`;
  });

/** Counts the rows of these tables that were read so far, by both connections. */
async function countReads({ sql, beside }: Scene): Promise<number> {
  await Promise.all([sql, beside].map((pool) => pool`select pg_stat_force_next_flush()`));
  const [row] = await sql<{ rows: string }[]>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as rows from pg_stat_user_tables
     where relname = any(string_to_array(${TABLES}, ','))`;
  return Number(row?.rows);
}

async function checkReads(t: Test, scene: Scene): Promise<void> {
  for (let round = 1; round <= 3; round += 1) await serve(scene);
  await fillBeside(scene.beside, 'waits', 'pending');
  const before = await countReads(scene);
  await serve(scene);
  const reads = (await countReads(scene)) - before;
  t.ok(reads > 0 && reads < FEW, `${reads} rows`);
}

t.test('plans of tables that were never analyzed read few rows of full tables', async (t) => {
  await checkReads(t, await openScene(t));
});

t.test(
  'plans of tables that were analyzed with few rows read few rows of full tables',
  async (t) => {
    const scene = await openScene(t);
    await serve(scene);
    await scene.beside`analyze`;
    await checkReads(t, scene);
  },
);

t.test('plans made while nothing waited read few rows when many deliveries wait', async (t) => {
  const scene = await openScene(t);
  await fillBeside(scene.beside, 'done', 'delivered');
  await scene.beside`analyze`;
  await checkReads(t, scene);
});
