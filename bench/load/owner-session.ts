// A session of an owner, made by SQL: a bench signs nobody in.
import { randomBytes } from 'node:crypto';
import { type MerchantId, makeId } from '#actors/core/ids.js';
import { makeSessionToken } from '#gateway/auth/tokens.js';
import type { Postgres } from '#store/postgres/client.js';

const HOUR_MS = 3_600_000;

/** The token of a session that lasts an hour, of a new owner with this address. */
export async function openOwnerSession(
  sql: Postgres,
  merchantId: MerchantId,
  email: string,
): Promise<string> {
  const userId = makeId('usr', randomBytes(16));
  await sql`insert into users (id, email, merchant_id, role, verified_at)
            values (${userId}, ${email}, ${merchantId}, 'owner', now())`;
  const { text, digest } = makeSessionToken();
  await sql`insert into sessions (id, user_id, digest, address, expires_at)
            values (${makeId('ses', randomBytes(16))}, ${userId}, decode(${digest}, 'hex'), '127.0.0.1',
                    ${new Date(Date.now() + HOUR_MS)})`;
  return text;
}

/** The session of the merchant that the payments belong to. */
export async function openSellerSession(sql: Postgres): Promise<string> {
  const [found] = await sql<{ merchantId: MerchantId }[]>`
    select merchant_id as "merchantId" from payments limit 1`;
  if (found === undefined) throw new Error('there are no payments');
  return openOwnerSession(sql, found.merchantId, 'bench@example.com');
}
