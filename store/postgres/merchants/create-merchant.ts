// Creates merchants and unrestricted keys for the demo, benches and tests, without an actor for the audit log.
import { createHash } from 'node:crypto';
import type { Postgres } from '../client.js';

export interface NewApiKey {
  id: string;
  merchantId: string;
  environment: 'TEST' | 'LIVE';
  /** The whole secret; it is not stored. */
  secret: string;
}

const PREFIX_LENGTH = 'sk_test_'.length + 4;

/** Stores an unverified merchant with LIVE disabled. */
export async function createMerchant(
  sql: Postgres,
  id: string,
  businessName: string,
): Promise<void> {
  await sql`insert into merchants (id, business_name) values (${id}, ${businessName})`;
}

/** Stores a key that may read and write from every address. */
export async function createApiKey(sql: Postgres, key: NewApiKey): Promise<void> {
  const digest = createHash('sha256').update(key.secret).digest('hex');
  await sql`
    insert into api_keys (id, merchant_id, environment, prefix, last_four, digest)
    values (${key.id}, ${key.merchantId}, ${key.environment}, ${key.secret.slice(0, PREFIX_LENGTH)},
            ${key.secret.slice(-4)}, decode(${digest}, 'hex'))`;
}
