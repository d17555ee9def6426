// New merchants and their keys. Of a key only its digest is kept, beside what a list may show of it.
import { createHash } from 'node:crypto';
import type { Postgres } from '../client.js';

export interface NewApiKey {
  id: string;
  merchantId: string;
  environment: 'TEST' | 'LIVE';
  /** The whole secret; shown once, never stored. */
  secret: string;
}

const PREFIX_LENGTH = 'sk_test_'.length + 4;

/** Stores a merchant that is not verified and has LIVE off. */
export async function createMerchant(
  sql: Postgres,
  id: string,
  businessName: string,
): Promise<void> {
  await sql`insert into merchants (id, business_name) values (${id}, ${businessName})`;
}

/** Stores a key without restrictions (read and write, from anywhere). */
export async function createApiKey(sql: Postgres, key: NewApiKey): Promise<void> {
  const digest = createHash('sha256').update(key.secret).digest('hex');
  await sql`
    insert into api_keys (id, merchant_id, environment, prefix, last_four, digest)
    values (${key.id}, ${key.merchantId}, ${key.environment}, ${key.secret.slice(0, PREFIX_LENGTH)},
            ${key.secret.slice(-4)}, decode(${digest}, 'hex'))`;
}
