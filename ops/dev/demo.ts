// The demo data of `npm start`: a merchant that is not approved yet, with an owner who can log in and one key for each
// environment, and two administrators. Keys and passwords are generated once and kept in DATA_DIR.
import { randomBytes } from 'node:crypto';
import { API_KEY_RANDOM_BYTES, makeApiKey } from '#actors/core/api-key.js';
import { type MerchantId, makeId } from '#actors/core/ids.js';
import { hashPassword } from '#gateway/auth/password-hash.js';
import { findLogin, seedUser } from '#store/postgres/accounts/users.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { createApiKey, createMerchant } from '#store/postgres/merchants/create-merchant.js';
import type { Config } from '../runtime/config.js';
import type { DemoRails } from './rail-simulator/settings.js';
import type { DemoLogin, DemoSecrets } from './launch/secrets.js';

const BUSINESS_NAME = 'Toko Contoh';
const PASSWORD_BYTES = 15;
/** Part of the merchant id in the demo addresses, so that several demos can share a database. */
const MARK_CHARACTERS = 6;

/** Generates ids and keys; stores nothing. */
export function makeDemoSecrets(): DemoSecrets {
  const merchantId = makeId('mer', randomBytes(16));
  const mark = merchantId.slice(-MARK_CHARACTERS);
  return {
    merchantId,
    owner: makeLogin(`owner-${mark}@example.com`),
    admin: makeLogin(`admin-${mark}@example.com`),
    secondAdmin: makeLogin(`admin2-${mark}@example.com`),
    testKeyId: makeId('key', randomBytes(16)),
    liveKeyId: makeId('key', randomBytes(16)),
    testKey: makeApiKey('TEST', randomBytes(API_KEY_RANDOM_BYTES)),
    liveKey: makeApiKey('LIVE', randomBytes(API_KEY_RANDOM_BYTES)),
  };
}

function makeLogin(email: string): DemoLogin {
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  return { userId: makeId('usr', randomBytes(16)), email, password };
}

/** Stores the merchant, its keys and the users unless they exist. */
export async function seedDemo(databaseUrl: string, demo: DemoSecrets): Promise<void> {
  const sql = openPostgres(databaseUrl, 'start', 1);
  try {
    const found = await sql`select 1 from merchants where id = ${demo.merchantId}`;
    if (found.length === 0) await createMerchant(sql, demo.merchantId, BUSINESS_NAME);
    await seedKey(sql, demo, 'TEST');
    await seedKey(sql, demo, 'LIVE');
    await seedLogin(sql, demo.owner, demo.merchantId);
    await seedLogin(sql, demo.admin, null);
    await seedLogin(sql, demo.secondAdmin, null);
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

async function seedLogin(
  sql: Postgres,
  { userId: id, email, password }: DemoLogin,
  merchantId: MerchantId | null,
): Promise<void> {
  if ((await findLogin(sql, email)).length > 0) return;
  const passwordHash = hashPassword(password);
  const role = merchantId === null ? 'admin' : 'owner';
  await seedUser(sql, { id, email, merchantId, role, passwordHash });
}

/** The content of {DATA_DIR}/demo.json. */
export function describeDemo(
  config: Config,
  demo: DemoSecrets,
  running: { metricsPorts: ReadonlyMap<string, number>; rails: DemoRails; webhook: object },
): object {
  const { metricsPorts, rails, webhook } = running;
  return {
    base_url: config.baseUrl,
    metrics: Object.fromEntries(metricsPorts),
    merchant: { id: demo.merchantId, ...selectLogin(demo.owner) },
    admin: selectLogin(demo.admin),
    second_admin: selectLogin(demo.secondAdmin),
    keys: { test: demo.testKey, live: demo.liveKey },
    callbacks: rails.callbacks,
    rail_simulator: rails.simulator?.url ?? null,
    webhook,
  };
}

const selectLogin = ({ email, password }: DemoLogin) => ({ email, password });
