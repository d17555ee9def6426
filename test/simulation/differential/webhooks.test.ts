// The statements of webhooks in the model of Postgres answer as the real ones: the same random operations on both. Times
// are not set but passed, as in rails.test.ts.
import t, { type Test } from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { ensureCursors } from '#store/postgres/cursors.js';
import { createTestMerchant } from '#test/support/processes.js';
import { createDatabase } from '#test/support/servers.js';
import { addEndpoint } from '#test/support/webhooks/outbox.js';
import { Tables } from '../postgres/tables.js';
import { createChance } from '../world/chance.js';
import { answer, OPERATIONS, PARTITIONS, SEEDS } from './answer.js';
import { sortById, WEBHOOK_OPERATIONS, type WebhooksPair } from './webhook-operations.js';

const ENDPOINTS_EVENTS = [['*'], ['payment.paid', 'refund.failed'], ['*', 'refund.failed']];

const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));
await checkInstallation(sql, { partitions: PARTITIONS, idKey: Buffer.alloc(32, 7) });
await ensureCursors(sql);
const merchants = [await createTestMerchant(databaseUrl), await createTestMerchant(databaseUrl)];

t.test('the statements of webhooks in the model answer as Postgres', async (t) => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    await sql`truncate payment_events, webhook_endpoints, webhook_deliveries, webhook_attempts,
      webhook_events_set_aside, webhook_endpoint_failures cascade`;
    await sql`update webhook_cursors set position_ms = 0, position_seq = 0, index = 0`;
    if (!(await compareWebhooks(t, seed))) return;
  }
});

/** Endpoints of two merchants. */
async function openPair(seed: number): Promise<WebhooksPair> {
  const tables = new Tables(PARTITIONS, () => 0);
  for (const { merchantId } of merchants) {
    for (const events of ENDPOINTS_EVENTS) {
      const url = 'https://receiver.test/hook';
      const { id } = await addEndpoint(sql, merchantId, url, events);
      await sql`update webhook_endpoints set secret = 'sealed' where id = ${id}`;
      tables.endpoints.set(id, {
        ...{ id, merchantId, url, events, isActive: true, secret: 'sealed' },
        ...{ nextSecret: null, switchAtMs: null, createdAtMs: Date.now() },
      });
    }
  }
  return { chance: createChance(seed), sql, tables, next: 0 };
}

async function compareWebhooks(t: Test, seed: number): Promise<boolean> {
  const pair = await openPair(seed);
  const { chance, tables } = pair;
  const name = (error: unknown): string => String(error);
  // No two statements run at the same time: rows that became due together are those of one statement.
  let nowMs = Date.now();
  for (let count = 0; count < 2 * OPERATIONS; count += 1) {
    nowMs = Math.max(nowMs + 1, Date.now());
    const operation = chance.pick(WEBHOOK_OPERATIONS)(pair);
    const expected = await answer(operation.real, name);
    const found = await answer(() => operation.model({ tables, nowMs }), name);
    if (!t.strictSame(found, expected, `seed ${seed}, operation ${count}`)) return false;
  }
  return compareRows(t, tables);
}

async function compareRows(t: Test, tables: Tables): Promise<boolean> {
  const rows = await sql<object[]>`
    select id, event_id as "eventId", endpoint_id as "endpointId", payment_id as "paymentId", body,
           status, attempts, step, reason, settled_at is not null as "isSettled"
      from webhook_deliveries order by id`;
  const modelled = sortById(tables.deliveries.values()).map((row) => {
    const { id, eventId, endpointId, paymentId, body, status, attempts, step, reason } = row;
    const isSettled = row.settledAtMs !== null;
    return { id, eventId, endpointId, paymentId, body, status, attempts, step, reason, isSettled };
  });
  t.strictSame(modelled, [...rows]);
  const attempts = await sql<{ key: string }[]>`
    select delivery_id || ' ' || attempt || ' ' || coalesce(failure, 'none') as key
      from webhook_attempts`;
  const modelledAttempts = tables.attempts
    .values()
    .map(({ deliveryId, attempt, failure }) => `${deliveryId} ${attempt} ${failure ?? 'none'}`);
  t.strictSame(modelledAttempts.sort(), attempts.map(({ key }) => key).sort());
  const failing = await sql<{ id: string }[]>`
    select endpoint_id as id from webhook_endpoint_failures`;
  const modelledFailing = tables.failures.entries().map(([id]) => id);
  t.strictSame(modelledFailing.sort(), failing.map(({ id }) => id).sort());
  return t.passing();
}
