// `kasir secrets`: every stored secret is sealed anew under another key, while a gateway that accepts both keys runs on.
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { Secret, TOTP } from 'otpauth';
import { makeId } from '#actors/core/ids.js';
import { deriveCallbackId } from '#actors/core/rails/live-rails.js';
import { sealFile } from '#ops/runtime/sealed-secrets.js';
import type { Postgres } from '#store/postgres/client.js';
import { DEMO_KYC } from '#ops/dev/verification.js';
import {
  countSealed,
  listSealed,
  replaceSealed,
  SEALED_COLUMNS,
} from '#store/postgres/operations/sealed-values.js';
import {
  beginSession,
  makeMerchant,
  makePerson,
  PASSWORD,
  type Person,
  PNG,
  startGateways,
} from '#test/support/accounts.js';
import { type Api, openApi } from '#test/support/api.js';
import { runKasir } from '#test/support/kasir.js';

const [oldKey = '', newKey = ''] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));
const BOTH = `${newKey},${oldKey}`;
const CALLBACK_KEYS = [3, 4].map((byte) => Buffer.alloc(32, byte));
const HOOKS = '/v1/merchants/me/webhooks';
const KYC = '/v1/merchants/kyc';

const stage = await startGateways(t, 1, {
  SECRETS_KEY: `${oldKey},${newKey}`,
  CALLBACK_KEY: CALLBACK_KEYS.map((key) => key.toString('base64')).join(','),
});
const { sql, baseUrl, databaseUrl } = stage;
const run = (keys: string, ...args: string[]) =>
  runKasir({ DATABASE_URL: databaseUrl, SECRETS_KEY: keys }, 'secrets', ...args);
const post = (api: Api, path: string, body: object = {}) =>
  api.call(path, { method: 'POST', body });

interface Sealed {
  readonly owner: Person;
  readonly api: Api;
  readonly totp: TOTP;
  readonly documentIds: readonly string[];
}

/** A merchant that uses everything that is stored sealed. */
async function useSecrets(t: Test): Promise<Sealed> {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const api = openApi(baseUrl, await beginSession(sql, owner));
  const { id } = (await post(api, HOOKS, { url: 'https://93.184.215.14/', environment: 'TEST' }))
    .body;
  t.equal((await post(api, `${HOOKS}/${String(id)}/rotate`)).status, 200);
  const begun = (await post(api, '/v1/auth/totp', { current_password: PASSWORD })).body;
  const totp = new TOTP({ secret: Secret.fromBase32(String(begun['secret'])) });
  t.equal((await post(api, '/v1/auth/totp/confirm', { code: totp.generate() })).status, 200);
  const document = { purpose: 'IDENTITY', filename: 'a.png', content: PNG.toString('base64') };
  const documentId = String((await post(api, `${KYC}/documents`, document)).body['id']);
  const formerId = await storeInOnePart(String(owner.merchantId));
  const documentIds = [documentId, formerId];
  const submission = { ...DEMO_KYC, document_ids: documentIds };
  t.equal((await post(api, `${KYC}/submit`, submission)).status, 201);
  return { owner, api, totp, documentIds };
}

/** As documents were stored before they had parts. */
async function storeInOnePart(merchantId: string): Promise<string> {
  const id = makeId('doc', randomBytes(16));
  const [sealed] = await sql<{ keyName: string }[]>`
    select split_part(totp_secret, '.', 2) as "keyName" from users where merchant_id = ${merchantId}`;
  const key = { name: sealed?.keyName ?? '', key: Buffer.from(oldKey, 'base64') };
  const content = sealFile([key], id, PNG);
  await sql`
    insert into kyc_documents (id, merchant_id, purpose, filename, media_type, size, content)
    values (${id}, ${merchantId}, 'TAX', 'b.png', 'image/png', ${PNG.length}, ${content})`;
  return id;
}

/** The columns that hold anything sealed, whatever their names. */
async function findSealedColumns(sql: Postgres): Promise<string[]> {
  const columns = await sql<{ table: string; column: string; type: string }[]>`
    select table_name as table, column_name as column, data_type as type
      from information_schema.columns
     where table_schema = 'public' and data_type in ('text', 'bytea') order by 1, 2`;
  const found: string[] = [];
  for (const { table, column, type } of columns) {
    const start =
      type === 'text' ? sql`left(${sql(column)}, 3)` : sql`substring(${sql(column)} from 1 for 3)`;
    const mark = type === 'text' ? sql`'v1.'` : sql`'v1.'::bytea`;
    const rows = await sql`select 1 from ${sql(table)} where ${start} = ${mark} limit 1`;
    if (rows.length > 0) found.push(`${table}.${column}`);
  }
  return found;
}

const readCounts = async (keys: string): Promise<{ key: string; values: number }[]> =>
  JSON.parse((await run(keys, 'status', '--json')).stdout) as { key: string; values: number }[];

t.test('SEALED_COLUMNS names every column with sealed values', async (t) => {
  await useSecrets(t);
  const listed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).sort();
  t.strictSame(await findSealedColumns(sql), listed);
});

t.test('reseal without the old key changes nothing, names the values and exits 1', async (t) => {
  const before = await readCounts(newKey);
  const { code, stdout, stderr } = await run(newKey, 'reseal');
  t.equal(code, 1);
  t.match(stdout, /^0 sealed anew, 6 left\n/);
  t.match(
    stderr,
    /users\.totp_secret of usr_\w+: the secret is sealed with the key [0-9a-f]{8}, which/,
  );
  t.strictSame(await readCounts(newKey), before);
});

t.test(
  'concurrent reseals leave nothing under the old key, and all secrets still open',
  async (t) => {
    const used = await Promise.all(Array.from({ length: 5 }, () => useSecrets(t)));
    const runs = await Promise.all([run(BOTH, 'reseal'), run(BOTH, 'reseal')]);
    for (const { code, stdout } of runs)
      t.match({ code, stdout }, { code: 0, stdout: /, 0 left\n$/ });
    const keys = new Set((await readCounts(BOTH)).map(({ key }) => key));
    t.equal(keys.size, 1);
    t.match(await run(BOTH, 'reseal'), { code: 0, stdout: '0 sealed anew, 0 left\n' });
    const admin = await makePerson(sql, 'admin', null);
    const office = openApi(baseUrl, await beginSession(sql, admin));
    for (const { owner, api, totp, documentIds } of used) {
      const nextCode = totp.generate({ timestamp: Date.now() + 30_000 });
      const login = { email: owner.email, password: PASSWORD, totp_code: nextCode };
      t.equal((await post(openApi(baseUrl), '/v1/auth/login', login)).status, 200);
      t.match((await api.call(KYC)).body, {
        submission: { legal_name: DEMO_KYC.legal_name },
      });
      for (const id of documentIds) {
        const path = `/v1/admin/merchants/${String(owner.merchantId)}/documents/${id}`;
        t.same((await office.call(path)).bytes, PNG);
      }
    }
  },
);

t.test('a value that the service changes meanwhile is not overwritten', async (t) => {
  const { api } = await useSecrets(t);
  const [sealed] = SEALED_COLUMNS;
  const [key] = await countSealed(sql, sealed);
  const page = { keyName: 'none', afterId: '', limit: 100 };
  const found = (await listSealed(sql, sealed, page)).at(-1);
  if (found === undefined) throw new Error(`no values under ${key?.key}`);
  await sql`update webhook_endpoints set secret = 'v1.changed.x' where id = ${found.id}`;
  t.equal(await replaceSealed(sql, sealed, found, 'v1.other.x'), false);
  const [row] = await sql`select secret from webhook_endpoints where id = ${found.id}`;
  t.equal(row?.['secret'], 'v1.changed.x');
  t.equal((await api.call(HOOKS)).status, 200);
});

t.test('callbacks are accepted at the address of each key, and of no other', async (t) => {
  const send = (key: Buffer) =>
    openApi(baseUrl).call(`/v1/rails/${deriveCallbackId(key, 'xendit')}/callbacks`, {
      method: 'POST',
      body: {},
    });
  for (const key of CALLBACK_KEYS) t.equal((await send(key)).status, 503, 'no rails process runs');
  t.equal((await send(Buffer.alloc(32, 5))).status, 404);
});
