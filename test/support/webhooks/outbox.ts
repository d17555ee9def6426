// Events as the payments process would have committed them, and endpoints as an API would store them: for
// tests of the webhooks process alone.
import { randomBytes } from 'node:crypto';
import { encodeBase32, deriveEventId, makeId } from '#actors/core/ids.js';
import { makeWebhookSecret } from '#actors/core/webhooks/sign.js';
import { sealSecret } from '#ops/runtime/sealed-secrets.js';
import { readConfig } from '#ops/runtime/config.js';
import type { Postgres } from '#store/postgres/client.js';
import { joinColumn as join } from '#store/postgres/join-column.js';
import { putEndpoint } from '#store/postgres/webhooks/put-endpoint.js';
import { TEST_KEYS } from '../processes.js';

export interface TestEndpoint {
  readonly id: string;
  readonly secret: string;
}

export const secretsKeys = readConfig('start', TEST_KEYS).secretsKeys;

export async function addEndpoint(
  sql: Postgres,
  merchantId: string,
  url: string,
  events: readonly string[] = ['*'],
): Promise<TestEndpoint> {
  const id = `we_${encodeBase32(randomBytes(16))}`;
  const secret = makeWebhookSecret(randomBytes(32));
  const sealedSecret = sealSecret(secretsKeys, id, secret);
  await putEndpoint(sql, { id, merchantId, environment: 'TEST', url, events, sealedSecret });
  return { id, secret };
}

let nextPosition = Date.now();

/** Commits events, spread over the partitions; answers their ids. */
export async function addEvents(
  sql: Postgres,
  merchantId: string,
  count: number,
  type = 'payment.paid',
): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, index) => {
    const paymentId = makeId('pay', randomBytes(16));
    const id = deriveEventId(paymentId, 2);
    const at = new Date();
    const data = { id: paymentId, status: 'paid', amount: '15000', currency: 'IDR' };
    const envelope = JSON.stringify({ id, type, created_at: at.toISOString(), data });
    nextPosition += 1;
    return { partition: index % 16, position: nextPosition, paymentId, at, envelope, id };
  });
  await sql`
    insert into payment_events (partition, position_ms, position_seq, index, payment_id, version, type,
                                at, event, merchant_id, environment, envelope)
    select e.partition, e.position, 0, 0, e.payment_id, 2, 'settled', e.at, '{}', ${merchantId}, 'TEST',
           e.envelope
      from unnest(split(${join(rows, (row) => row.partition)})::smallint[],
                  split(${join(rows, (row) => row.position)})::bigint[],
                  split(${join(rows, (row) => row.paymentId)}),
                  split(${join(rows, (row) => row.at.toISOString())})::timestamptz[],
                  split(${join(rows, (row) => row.envelope)}))
           as e (partition, position, payment_id, at, envelope)`;
  return rows.map(({ id }) => id);
}

/** How many deliveries there are of each status. */
export async function countDeliveries(sql: Postgres): Promise<Record<string, number>> {
  const rows = await sql<{ status: string; count: number }[]>`
    select status, count(*)::int from webhook_deliveries group by status`;
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}
