// Test users: merchants' users and administrators with sessions, stored as the service stores them.
import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { type MerchantId, makeId, type UserId } from '#actors/core/ids.js';
import { DEMO_KYC } from '#ops/dev/verification.js';
import type { Role } from '#gateway/routing/roles.js';
import { makeSessionToken } from '#gateway/auth/tokens.js';
import { hashPassword } from '#gateway/auth/password-hash.js';
import { createMerchant } from '#store/postgres/merchants/create-merchant.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import type { Api } from './api.js';
import { startProcess, uniqueWord, type RunningProcess, type Variables } from './processes.js';
import { createDatabase, startRedis, type TestScope } from './servers.js';

export const PASSWORD = 'kata-sandi-yang-panjang';
/** A KYC document: a PNG by its first bytes. */
export const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(2_000)]);
const HOUR_MS = 3_600_000;

export interface Person {
  readonly userId: UserId;
  readonly merchantId: MerchantId | null;
  readonly email: string;
  readonly role: Role;
}

export async function makeMerchant(sql: Postgres, name = 'Toko Uji'): Promise<MerchantId> {
  const id = makeId('mer', randomBytes(16));
  await createMerchant(sql, id, name);
  return id;
}

/** As after a verification, with LIVE enabled. */
export async function approveMerchant(sql: Postgres, id: MerchantId): Promise<void> {
  await sql`
    update merchants set verification_status = 'APPROVED', live_enabled = true where id = ${id}`;
}

let passwordHash: string | undefined;

/** Stores a user with the password PASSWORD and a verified address. */
export async function makePerson(
  sql: Postgres,
  role: Role,
  merchantId: MerchantId | null,
): Promise<Person> {
  passwordHash ??= hashPassword(PASSWORD);
  const userId = makeId('usr', randomBytes(16));
  const email = `${uniqueWord(role)}@example.com`;
  await sql`
    insert into users (id, email, merchant_id, role, password_hash, verified_at)
    values (${userId}, ${email}, ${merchantId}, ${role}, ${passwordHash}, now())`;
  return { userId, merchantId, email, role };
}

/** Stores a passkey of the user that proves nothing, and returns its id. */
export async function insertPasskey(sql: Postgres, { userId }: Person): Promise<string> {
  const id = makeId('pkey', randomBytes(16));
  await sql`
    insert into passkeys (id, user_id, name, credential_id, public_key, sign_count, transports,
                          is_backup_eligible, is_backed_up)
    values (${id}, ${userId}, 'Laptop', ${randomBytes(32)}, ${randomBytes(77)}, 0, '{}', false, false)`;
  return id;
}

/** Stores a session and returns its token. */
export async function beginSession(sql: Postgres, { userId }: Person): Promise<string> {
  const { text, digest } = makeSessionToken();
  await sql`
    insert into sessions (id, user_id, digest, address, expires_at)
    values (${makeId('ses', randomBytes(16))}, ${userId}, decode(${digest}, 'hex'), '127.0.0.1',
            ${new Date(Date.now() + HOUR_MS)})`;
  return text;
}

/** Sets up a second factor for the user of a session, and returns a function that makes its next unused code. */
export async function enrolSecondFactor(
  sql: Postgres,
  api: Api,
  userId: unknown,
  current_password = PASSWORD,
): Promise<() => Promise<string>> {
  const password = { current_password };
  const begun = await api.call('/v1/auth/totp', { method: 'POST', body: password });
  const totp = new TOTP({ secret: Secret.fromBase32(String(begun.body['secret'])) });
  const body = { code: totp.generate() };
  const confirmed = await api.call('/v1/auth/totp/confirm', { method: 'POST', body });
  if (confirmed.status >= 300) throw new Error(confirmed.text);
  return async () => {
    await sql`update users set totp_step = 0 where id = ${String(userId)}`;
    return totp.generate();
  };
}

/** Submits a verification with one document, as an owner. `changes`: other values of its fields. */
export async function submitKyc(owner: Api, changes: object = {}): Promise<void> {
  const post = async (path: string, body: object) => {
    const answer = await owner.call(`/v1/merchants/kyc/${path}`, { method: 'POST', body });
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body;
  };
  const file = { purpose: 'IDENTITY', filename: 'ktp.png', content: PNG.toString('base64') };
  const { id } = await post('documents', file);
  await post('submit', { ...DEMO_KYC, ...changes, document_ids: [id] });
}

export interface AccountStage {
  readonly databaseUrl: string;
  readonly sql: Postgres;
  readonly gateways: readonly RunningProcess[];
  readonly baseUrl: string;
}

/** Starts gateways with Redis and Postgres but without other processes. */
export async function startGateways(
  t: TestScope,
  count = 1,
  variables: Variables = {},
): Promise<AccountStage> {
  const redis = await startRedis(t);
  const databaseUrl = await createDatabase(t);
  const settings = { REDIS_URL: redis.url, DATABASE_URL: databaseUrl, ...variables };
  const starts = Array.from({ length: count }, () => startProcess(t, 'gateway', settings));
  const gateways = await Promise.all(starts);
  const sql = openPostgres(databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  return { databaseUrl, sql, gateways, baseUrl: gateways[0]?.baseUrl ?? '' };
}

/** Reads the newest mail to a recipient, with the token of its link. */
export async function readMail(
  sql: Postgres,
  recipient: string,
): Promise<{ subject: string; body: string; token: string } | undefined> {
  const rows = await sql<{ subject: string; body: string }[]>`
    select subject, body from mails where recipient = ${recipient} order by created_at desc limit 1`;
  const [mail] = rows;
  if (mail === undefined) return undefined;
  return { ...mail, token: /#([\w-]{43})$/m.exec(mail.body)?.[1] ?? '' };
}
