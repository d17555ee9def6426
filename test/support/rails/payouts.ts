// Payouts over HTTP.
import { randomBytes } from 'node:crypto';
import { makeApiKey } from '#actors/core/api-key.js';
import { makeId } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import type { Postgres } from '#store/postgres/client.js';
import { beginSession, makePerson } from '../accounts.js';
import { type Api, type ApiAnswer, openApi } from '../api.js';
import type { RailService } from './service.js';

export const ACCOUNT = {
  bank_code: 'BCA',
  account_number: '1234567890',
  account_holder: 'Budi Santoso',
};

export const payOut = (api: Api, body: object, key?: string): Promise<ApiAnswer> =>
  api.call('/v1/payouts', {
    method: 'POST',
    body: { ...ACCOUNT, ...body },
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });

export const showPayout = (api: Api, id: unknown): Promise<ApiAnswer> =>
  api.call(`/v1/payouts/${String(id)}`);

export const rowsOf = (answer: ApiAnswer) =>
  answer.body['data'] as Readonly<Record<string, unknown>>[];

export async function balanceOf(api: Api) {
  const [row] = rowsOf(await api.call('/v1/balance'));
  return { available: row?.['available'], in_transit: row?.['in_transit'] };
}

export async function makePaid(api: Api, amount: string): Promise<string> {
  const { body } = await api.create({ amount });
  await api.simulate(body['id'], 'paid');
  return String(body['id']);
}

export const hasStatus = (api: Api, id: unknown, status: string) =>
  waitUntil(`${String(id)} is ${status}`, async () => {
    return (await showPayout(api, id)).body['status'] === status;
  });

/** Inserts a key of the merchant with these scopes. */
export async function makeKey(
  sql: Postgres,
  merchantId: string,
  environment: 'TEST' | 'LIVE',
  scopes: readonly string[],
): Promise<string> {
  const text = makeApiKey(environment, randomBytes(96));
  const id = makeId('key', randomBytes(16));
  await sql`
    insert into api_keys (id, merchant_id, environment, prefix, last_four, digest, scopes)
    values (${id}, ${merchantId}, ${environment}, 'sk', 'last',
            sha256(${text}::text::bytea), ${[...scopes]}::text[])`;
  return text;
}

export const openKey = async (baseUrl: string, ...key: Parameters<typeof makeKey>): Promise<Api> =>
  openApi(baseUrl, await makeKey(...key));

/** Approves the merchant for LIVE and gives it `balance`; opens a key that pays out, and an administrator. */
export async function openLivePayouts(
  { baseUrl, sql, merchant }: Pick<RailService, 'baseUrl' | 'sql' | 'merchant'>,
  balance: number,
): Promise<{ live: Api; admin: Api }> {
  const { merchantId } = merchant;
  await sql`update merchants set verification_status = 'APPROVED', live_enabled = true
             where id = ${merchantId}`;
  const live = await openKey(baseUrl, sql, merchantId, 'LIVE', ['payouts', 'read']);
  const admin = openApi(baseUrl, await beginSession(sql, await makePerson(sql, 'admin', null)));
  await sql`insert into balance_rows (account, currency, amount)
            values (${`merchant_available:${merchantId}:LIVE:IDR`}, 'IDR', ${balance})`;
  return { live, admin };
}
