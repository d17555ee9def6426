// Dead letters of a merchant with one endpoint, in a database of their own.
import type { Test } from 'tap';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { ensureCursors } from '#store/postgres/cursors.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { FULL_SCOPE } from '#store/postgres/webhooks/dead-letters/dead-letter-scope.js';
import type { ReplayScope } from '#store/postgres/webhooks/dead-letters/replay-jobs.js';
import { fanOut } from '#store/postgres/webhooks/fan-out.js';
import { createTestMerchant } from '../processes.js';
import { createDatabase } from '../servers.js';
import { addEndpoint, addEvents } from './outbox.js';

interface Owner {
  readonly merchantId: string;
  readonly endpointId: string;
}

/** Each test has a merchant of its own (`owner`), and no deliveries of the test before. */
export async function openDeadLetters(t: Test) {
  const databaseUrl = await createDatabase(t);
  const sql: Postgres = openPostgres(databaseUrl, 'test', 8);
  t.teardown(() => sql.end({ timeout: 1 }));
  await checkInstallation(sql, { partitions: 16, idKey: Buffer.alloc(32, 7) });
  await ensureCursors(sql);
  let owner: Owner = { merchantId: '', endpointId: '' };
  t.beforeEach(async () => {
    await sql`delete from webhook_replays`;
    await sql`delete from webhook_deliveries`;
    await sql`delete from webhook_endpoints`;
    const { merchantId } = await createTestMerchant(databaseUrl);
    const { id } = await addEndpoint(sql, merchantId, 'https://example.com/hook');
    owner = { merchantId, endpointId: id };
  });

  /** Returns the ids of deliveries of new events. */
  async function createDeliveries(count: number, type = 'payment.paid'): Promise<string[]> {
    await addEvents(sql, owner.merchantId, count, type);
    const ids: string[] = [];
    for (let events = 1; events > 0;) {
      const made = await fanOut(sql);
      ids.push(...made.deliveries.map(({ id }) => id));
      events = made.events;
    }
    return ids;
  }

  async function createDead(
    count: number,
    type = 'payment.paid',
    reason = 'http_405',
  ): Promise<string[]> {
    const ids = await createDeliveries(count, type);
    await sql`update webhook_deliveries set status = 'dead', reason = ${reason}, attempts = 3, step = 3,
                     settled_at = clock_timestamp() where id = any(${ids}::text[])`;
    return ids;
  }

  /** Deliveries that failed once and wait an hour for their next attempt. */
  async function createWaiting(count: number): Promise<string[]> {
    const ids = await createDeliveries(count);
    await sql`insert into webhook_attempts (delivery_id, attempt, at, duration_ms, failure)
              select id, 1, now(), 5, 'http_status' from webhook_deliveries
               where id = any(${ids}::text[])`;
    await sql`update webhook_deliveries set attempts = 1, step = 1, reason = 'http_status',
                     next_attempt_at = now() + interval '1 hour' where id = any(${ids}::text[])`;
    return ids;
  }

  const scope = (given: Partial<ReplayScope> = {}): ReplayScope => ({
    ...FULL_SCOPE,
    ...{ merchantId: owner.merchantId, withPending: false },
    ...given,
  });

  return { sql, getOwner: () => owner, createDeliveries, createDead, createWaiting, scope };
}
