// Makes and rolls keys of each kind with each role, with and without a code of the second factor. No key does more than
// its maker may, and the owners learn of each key that could reach LIVE money.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { API_KEY_RANDOM_BYTES, makeApiKey, type Scope } from '#actors/core/api-key.js';
import { type Environment, makeId } from '#actors/core/ids.js';
import { MERCHANT_ROLES, type MerchantRole } from '#gateway/routing/roles.js';
import { createApiKey } from '#store/postgres/merchants/create-merchant.js';
import {
  beginSession,
  enrolSecondFactor,
  makeMerchant,
  makePerson,
  readMail,
} from '../support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '../support/api.js';
import { useGateways } from '../support/standing/service.js';

const KEYS = '/v1/merchants/me/api-keys';
const ENVIRONMENTS: readonly Environment[] = ['TEST', 'LIVE'];
const SCOPES: readonly (readonly Scope[])[] = [
  [],
  ['read'],
  ['write'],
  ['read', 'write'],
  ['payouts'],
  ['read', 'write', 'payouts'],
];
const ACTIONS = ['create', 'roll'] as const;
/** The scopes that a role may give; null: it may make no keys. */
const MAY_GIVE: Readonly<Record<MerchantRole, readonly Scope[] | null>> = {
  owner: ['read', 'write', 'payouts'],
  developer: ['read', 'write'],
  finance: null,
  viewer: null,
};

const { sql, baseUrl } = await useGateways(t);
const merchantId = await makeMerchant(sql);
const owner = await makePerson(sql, 'owner', merchantId);

interface Kind {
  readonly action: (typeof ACTIONS)[number];
  readonly environment: Environment;
  readonly scopes: readonly Scope[];
}
const KINDS: readonly Kind[] = ACTIONS.flatMap((action) =>
  ENVIRONMENTS.flatMap((environment) => SCOPES.map((scopes) => ({ action, environment, scopes }))),
);

/** Stores a key as if somebody with all rights had made it. */
async function storeKey({ environment, scopes }: Kind): Promise<string> {
  const id = makeId('key', randomBytes(16));
  const secret = makeApiKey(environment, randomBytes(API_KEY_RANDOM_BYTES));
  await createApiKey(sql, { id, merchantId, environment, secret });
  await sql`update api_keys set scopes = ${[...scopes]}::text[] where id = ${id}`;
  return id;
}

/** Makes or rolls a key of the kind; `oldId` is the key to roll. */
async function act(api: Api, kind: Kind, oldId: string, code?: string): Promise<ApiAnswer> {
  const { action, environment, scopes } = kind;
  const proof = code === undefined ? {} : { totp_code: code };
  return action === 'create'
    ? api.call(KEYS, { method: 'POST', body: { environment, scopes, ...proof } })
    : api.call(`${KEYS}/${oldId}/roll`, { method: 'POST', body: { overlap_seconds: 0, ...proof } });
}

const isSensitive = ({ environment, scopes }: Kind): boolean =>
  environment === 'LIVE' || scopes.includes('payouts');

type Outcome = 'done' | 'role' | 'second factor' | 'another error';

function readOutcome({ status, code, body }: ApiAnswer): Outcome {
  if (status === 201) return 'done';
  if (code !== 'role_insufficient') return 'another error';
  return (body['error'] as { param: unknown }).param === 'totp_code' ? 'second factor' : 'role';
}

function expectOutcome(role: MerchantRole, kind: Kind, isProven: boolean): Outcome {
  const mayGive = MAY_GIVE[role];
  const scopes: readonly Scope[] = kind.scopes.length === 0 ? ['read', 'write'] : kind.scopes;
  if (mayGive === null || scopes.some((scope) => !mayGive.includes(scope))) {
    return 'role';
  }
  return isSensitive(kind) && !isProven ? 'second factor' : 'done';
}

for (const role of MERCHANT_ROLES) {
  t.test(`a user of the role ${role} makes and rolls only keys within its rights`, async (t) => {
    const person = await makePerson(sql, role, merchantId);
    const api = openApi(baseUrl, await beginSession(sql, person));
    const findOutcome = async (kind: Kind, code?: string): Promise<Outcome> =>
      readOutcome(await act(api, kind, await storeKey(kind), code));
    const describe = ({ action, environment, scopes }: Kind): string =>
      `${action} ${environment} [${scopes.join(' ')}]`;
    for (const kind of KINDS) {
      const found = await findOutcome(kind);
      t.equal(found, expectOutcome(role, kind, false), `${describe(kind)} without a second factor`);
    }
    const makeCode = await enrolSecondFactor(sql, api, person.userId);
    for (const kind of KINDS) {
      const found = await findOutcome(kind);
      t.equal(found, expectOutcome(role, kind, false), `${describe(kind)} without a code`);
      const proven = await findOutcome(kind, await makeCode());
      t.equal(proven, expectOutcome(role, kind, true), `${describe(kind)} with a code`);
      await sql`update api_keys set revoked_at = now() where merchant_id = ${merchantId}`;
    }
  });
}

t.test('a code makes one key, and a wrong code makes none', async (t) => {
  const api = openApi(baseUrl, await beginSession(sql, owner));
  const body = { environment: 'LIVE', scopes: ['payouts'] };
  const make = (code: string): Promise<ApiAnswer> =>
    api.call(KEYS, { method: 'POST', body: { ...body, totp_code: code } });
  const bare = await api.call(KEYS, { method: 'POST', body });
  t.match(bare.text, /POST \/v1\/auth\/totp/, 'the error says where to set up a second factor');
  const code = await (await enrolSecondFactor(sql, api, owner.userId))();
  const answers = await Promise.all([make(code), make(code)]);
  t.same(answers.map(({ status }) => status).sort(), [201, 400]);
  const wrong = await make(code === '000000' ? '000001' : '000000');
  t.match(wrong.body, { error: { code: 'field_invalid', param: 'totp_code' } });
  const made = answers.find(({ status }) => status === 201);
  const mail = await readMail(sql, owner.email);
  for (const part of [made?.body['id'], 'LIVE', 'payouts', owner.email, '127.0.0.1']) {
    t.ok(mail?.body.includes(String(part)), `the mail names ${String(part)}`);
  }
  const mails = await sql<{ recipient: string }[]>`
    select recipient from mails where body like ${`%${String(made?.body['id'])}%`} order by 1`;
  const owners = await sql<{ recipient: string }[]>`
    select email as recipient from users where merchant_id = ${merchantId} and role = 'owner' order by 1`;
  t.same(mails, owners, 'each owner gets it once');
});

t.test('a TEST key without payouts needs no code and sends no mail', async (t) => {
  const other = await makeMerchant(sql);
  const person = await makePerson(sql, 'owner', other);
  const api = openApi(baseUrl, await beginSession(sql, person));
  t.equal((await api.call(KEYS, { method: 'POST', body: { environment: 'TEST' } })).status, 201);
  t.equal(await readMail(sql, person.email), undefined);
});
