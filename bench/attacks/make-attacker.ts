// The merchant that attacks. It has nothing to do with the healthy traffic.
import { randomBytes } from 'node:crypto';
import { API_KEY_RANDOM_BYTES, makeApiKey } from '#actors/core/api-key.js';
import { type MerchantId, makeId } from '#actors/core/ids.js';
import type { Postgres } from '#store/postgres/client.js';
import { createApiKey, createMerchant } from '#store/postgres/merchants/create-merchant.js';
import { openOwnerSession } from '../load/owner-session.js';

/** Each payment is copied so often: a file of them must not fit into the buffers of a connection. */
const COPIES = 60;

const QR_PAYMENTS = 2_000;

export interface Attacker {
  readonly token: string;
  readonly key: string;
  readonly paymentIds: readonly string[];
}

/** A merchant with a key, the session of its owner, and copies of all payments. */
export async function makeAttacker(sql: Postgres): Promise<Attacker> {
  const merchantId = makeId('mer', randomBytes(16));
  await createMerchant(sql, merchantId, 'Attacker');
  const key = makeApiKey('TEST', randomBytes(API_KEY_RANDOM_BYTES));
  const id = makeId('key', randomBytes(16));
  await createApiKey(sql, { id, merchantId, environment: 'TEST', secret: key });
  await copyPayments(sql, merchantId);
  const token = await openOwnerSession(sql, merchantId, 'attacker@example.com');
  const payments = await sql<{ id: string }[]>`
    select id from payments where merchant_id = ${merchantId} limit ${QR_PAYMENTS}`;
  return { token, key, paymentIds: payments.map(({ id: paymentId }) => paymentId) };
}

async function copyPayments(sql: Postgres, merchantId: MerchantId): Promise<void> {
  await sql.unsafe('set statement_timeout = 0');
  await sql`
    insert into payments (id, merchant_id, environment, status, amount, currency, payment_method,
                          reference_id, created_at, version, snapshot)
    select new_id, ${merchantId}, environment, status, amount, currency, payment_method, reference_id,
           created_at - i * interval '1 second', version,
           replace(replace(snapshot, id, new_id), merchant_id, ${merchantId})
      from payments cross join generate_series(1, ${COPIES}::integer) as i
      cross join lateral (select 'pay_0' || left(md5(id || i), 25) as new_id) as n`;
  await sql.unsafe('analyze payments');
}
