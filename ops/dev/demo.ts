// The demo merchant of `npm start`: not approved, with one key for each environment. The keys are made once
// and kept with the other secrets of DATA_DIR, so that they stay the same at every start.
import { randomBytes } from 'node:crypto';
import { API_KEY_RANDOM_BYTES, makeApiKey } from '../../actors/core/api-key.js';
import { newId } from '../../actors/core/ids.js';
import { openPostgres, type Postgres } from '../../store/postgres/client.js';
import { createApiKey, createMerchant } from '../../store/postgres/merchants/create-merchant.js';
import type { Config } from '../runtime/config.js';
import type { DemoSecrets } from './secrets.js';

const BUSINESS_NAME = 'Toko Contoh';

/** New ids and keys; nothing is stored. */
export function makeDemoSecrets(): DemoSecrets {
  return {
    merchantId: newId('mer', randomBytes(16)),
    testKeyId: newId('key', randomBytes(16)),
    liveKeyId: newId('key', randomBytes(16)),
    testKey: makeApiKey('TEST', randomBytes(API_KEY_RANDOM_BYTES)),
    liveKey: makeApiKey('LIVE', randomBytes(API_KEY_RANDOM_BYTES)),
  };
}

/** Stores the merchant and its keys where they are not there yet. */
export async function seedDemo(databaseUrl: string, demo: DemoSecrets): Promise<void> {
  const sql = openPostgres(databaseUrl, 'start', 1);
  try {
    const found = await sql`select 1 from merchants where id = ${demo.merchantId}`;
    if (found.length === 0) await createMerchant(sql, demo.merchantId, BUSINESS_NAME);
    await seedKey(sql, demo, 'TEST');
    await seedKey(sql, demo, 'LIVE');
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function seedKey(
  sql: Postgres,
  demo: DemoSecrets,
  environment: 'TEST' | 'LIVE',
): Promise<void> {
  const secret = environment === 'TEST' ? demo.testKey : demo.liveKey;
  const id = environment === 'TEST' ? demo.testKeyId : demo.liveKeyId;
  const found = await sql`select 1 from api_keys where id = ${id}`;
  if (found.length === 0)
    await createApiKey(sql, { id, merchantId: demo.merchantId, environment, secret });
}

/** What {DATA_DIR}/demo.json says. */
export function describeDemo(
  config: Config,
  demo: DemoSecrets,
  { metricsPorts, webhook }: { metricsPorts: ReadonlyMap<string, number>; webhook: object },
): object {
  return {
    base_url: config.baseUrl,
    metrics: Object.fromEntries(metricsPorts),
    merchant: { id: demo.merchantId },
    keys: { test: demo.testKey, live: demo.liveKey },
    webhook,
  };
}
