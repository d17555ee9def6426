// API keys over HTTP: created, used, rolled and revoked on every gateway.
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { eraseAuditedUser } from '#store/postgres/operations/audit.js';
import {
  beginSession,
  enrolSecondFactor,
  makeMerchant,
  makePerson,
} from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import { useGateways } from '#test/support/standing/service.js';

const KEYS = '/v1/merchants/me/api-keys';

const { sql, gateways, baseUrl } = await useGateways(t);

function assertError(t: Test, answer: ApiAnswer, status: number, code: string): void {
  t.same([answer.status, answer.code], [status, code], answer.text);
}

async function openDeveloper(): Promise<Api> {
  const developer = await makePerson(sql, 'developer', await makeMerchant(sql));
  return openApi(baseUrl, await beginSession(sql, developer));
}

const make = (api: Api, body: object): Promise<ApiAnswer> =>
  api.call(KEYS, { method: 'POST', body });
const roll = (api: Api, id: unknown, body: object): Promise<ApiAnswer> =>
  api.call(`${KEYS}/${String(id)}/roll`, { method: 'POST', body });
const revoke = (api: Api, id: unknown): Promise<ApiAnswer> =>
  api.call(`${KEYS}/${String(id)}`, { method: 'DELETE' });
const use = (secret: unknown, gateway = 0, path = '/v1/payment-methods'): Promise<ApiAnswer> =>
  openApi(gateways[gateway]?.baseUrl ?? '', String(secret)).call(path);

async function findShown(
  api: Api,
  id: unknown,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { data } = (await api.call(KEYS)).body as { data: Record<string, unknown>[] };
  return data.find((key) => key['id'] === id);
}

t.test('a new key works at once, and its secret is shown only once', async (t) => {
  const api = await openDeveloper();
  const made = await make(api, { environment: 'TEST', name: 'Toko online' });
  t.equal(made.status, 201);
  const { id, secret, ...shown } = made.body;
  t.match(secret, /^sk_test_[0-9A-Za-z]{38}$/);
  t.match(shown, {
    name: 'Toko online',
    scopes: { length: 0 },
    status: 'active',
    last_used_at: null,
  });
  t.ok(String(secret).startsWith(String(shown['prefix'])));
  t.ok(String(secret).endsWith(String(shown['last_four'])));
  t.equal((await use(secret)).status, 200);
  t.equal((await use(secret, 1)).status, 200);
  const listed = await api.call(KEYS);
  t.notOk(listed.text.includes(String(secret)), 'the list does not show the secret');
  t.same((await api.call(`${KEYS}?environment=LIVE`)).body['data'], []);
  const [stored] = await sql`select * from api_keys where id = ${String(id)}`;
  t.notOk(JSON.stringify(stored).includes(String(secret)));
  const used = await waitUntil('the use was recorded', async () => {
    return (await findShown(api, id))?.['last_used_at'];
  });
  t.match(used, /^\d{4}-/);
});

t.test('a key is limited to its scopes and allowed addresses', async (t) => {
  const api = await openDeveloper();
  const reader = await make(api, { environment: 'TEST', scopes: ['read'] });
  const { secret } = reader.body;
  t.equal((await use(secret)).status, 200);
  const create = openApi(baseUrl, String(secret)).create({ amount: '1' });
  assertError(t, await create, 403, 'scope_insufficient');
  const elsewhere = await make(api, { environment: 'TEST', allowed_addresses: ['192.0.2.0/24'] });
  assertError(t, await use(elsewhere.body['secret']), 403, 'address_not_allowed');
  const here = await make(api, { environment: 'TEST', allowed_addresses: ['127.0.0.0/8', '::1'] });
  t.equal((await use(here.body['secret'])).status, 200);
  for (const address of ['here', '1.2.3', '1.2.3.4/33', '::1/129', '1.2.3.4/8/8', '1.2.3.4/']) {
    const answer = await make(api, { environment: 'TEST', allowed_addresses: [address] });
    assertError(t, answer, 400, 'field_invalid');
  }
  assertError(t, await make(api, { environment: 'TEST', scopes: ['all'] }), 400, 'field_invalid');
  assertError(t, await make(api, { environment: 'BOTH' }), 400, 'field_invalid');
});

t.test('a LIVE key without a verified e-mail address returns 409', async (t) => {
  const developer = await makePerson(sql, 'developer', await makeMerchant(sql));
  const api = openApi(baseUrl, await beginSession(sql, developer));
  await sql`update users set verified_at = null where id = ${developer.userId}`;
  assertError(t, await make(api, { environment: 'LIVE' }), 409, 'state_conflict');
  t.equal((await make(api, { environment: 'TEST' })).status, 201);
  await sql`update users set verified_at = now() where id = ${developer.userId}`;
  const makeCode = await enrolSecondFactor(sql, api, developer.userId);
  const live = await make(api, { environment: 'LIVE', totp_code: await makeCode() });
  t.match(live.body['secret'], /^sk_live_/);
  assertError(t, await use(live.body['secret']), 400, 'live_not_enabled');
});

t.test('a rolled key works until the overlap ends, its successor after it', async (t) => {
  const api = await openDeveloper();
  const { body: old } = await make(api, { environment: 'TEST', scopes: ['read'], name: 'a' });
  const rolled = await roll(api, old['id'], {});
  t.equal(rolled.status, 201);
  t.match(rolled.body, { scopes: ['read'], name: 'a', status: 'active' });
  t.same(
    [(await use(old['secret'])).status, (await use(rolled.body['secret'])).status],
    [200, 200],
  );
  t.match(await findShown(api, old['id']), { status: 'expiring' });
  assertError(t, await roll(api, old['id'], {}), 409, 'state_conflict');
  const next = rolled.body;
  const rolls = await Promise.all(
    [1, 2, 3].map(() => roll(api, next['id'], { overlap_seconds: 0 })),
  );
  t.same(
    rolls.map(({ status }) => status).sort(),
    [201, 409, 409],
    'one of three concurrent rolls succeeds',
  );
  await waitUntil('the rolled key stopped working', async () => {
    return (await use(next['secret'], 1)).code === 'credential_invalid';
  });
  assertError(t, await roll(api, next['id'], { overlap_seconds: 604_801 }), 400, 'field_invalid');
});

t.test('a revoked key in use stops working on every gateway', async (t) => {
  const api = await openDeveloper();
  const { id, secret } = (await make(api, { environment: 'TEST' })).body;
  let isOver = false;
  const seen = [0, 1].map(() => ({ accepted: 0, rejected: 0, acceptedAgain: 0 }));
  const askOnce = async (gateway: number): Promise<void> => {
    const counts = seen[gateway];
    const wasRejected = (counts?.rejected ?? 0) > 0;
    const { code } = await use(secret, gateway);
    if (counts === undefined) return;
    if (code === 'credential_invalid') counts.rejected += 1;
    else counts[wasRejected ? 'acceptedAgain' : 'accepted'] += 1;
  };
  const load = Array.from({ length: 8 }, async (_, index) => {
    while (!isOver) await askOnce(index % 2);
  });
  await waitUntil('the key is in use', () => seen.every(({ accepted }) => accepted > 50));
  t.same(
    seen.map(({ rejected }) => rejected),
    [0, 0],
    'it works',
  );
  t.equal((await revoke(api, id)).status, 204);
  await waitUntil('both gateways reject it', () => seen.every(({ rejected }) => rejected > 50));
  isOver = true;
  await Promise.all(load);
  t.same(
    seen.map(({ acceptedAgain }) => acceptedAgain),
    [0, 0],
    'and never take it again',
  );
  const [first] = await sql`select revoked_at from api_keys where id = ${String(id)}`;
  t.equal((await revoke(api, id)).status, 204, 'a repeat is idempotent');
  t.same(await sql`select revoked_at from api_keys where id = ${String(id)}`, [first]);
  t.match(await findShown(api, id), { status: 'revoked' });
});

t.test('the list names who made a key, also after that user was removed', async (t) => {
  const merchantId = await makeMerchant(sql);
  const owner = await makePerson(sql, 'owner', merchantId);
  const developer = await makePerson(sql, 'developer', merchantId);
  const api = openApi(baseUrl, await beginSession(sql, owner));
  const theirs = openApi(baseUrl, await beginSession(sql, developer));
  const { body: made } = await make(theirs, { environment: 'TEST' });
  const maker = { id: developer.userId, email: developer.email, is_removed: false };
  t.same(made['made_by'], maker);
  const { body: old } = await make(api, { environment: 'TEST' });
  const { body: rolled } = await roll(theirs, old['id'], {});
  t.same(rolled['made_by'], maker, 'the one who rolled it has seen it');
  const removed = await api.call(`/v1/merchants/me/users/${developer.userId}`, {
    method: 'DELETE',
  });
  t.equal(removed.status, 204);
  t.same((await findShown(api, made['id']))?.['made_by'], { ...maker, is_removed: true });
  t.match((await findShown(api, old['id']))?.['made_by'], { id: owner.userId, is_removed: false });
  t.equal((await use(made['secret'])).status, 200, 'it works as before');
  await eraseAuditedUser(sql, developer.userId);
  t.match((await findShown(api, made['id']))?.['made_by'], { id: developer.userId, email: null });
  await sql`
    insert into api_keys (id, merchant_id, environment, prefix, last_four, digest)
    values ('key_of_operator' || ${merchantId}, ${merchantId}, 'TEST', 'sk_test_', 'abcd', sha256(${merchantId}::bytea))`;
  t.equal((await findShown(api, `key_of_operator${merchantId}`))?.['made_by'], null);
});

t.test('a key of another merchant returns 404', async (t) => {
  const api = await openDeveloper();
  const otherMerchant = await openDeveloper();
  const { id, secret } = (await make(api, { environment: 'TEST' })).body;
  assertError(t, await revoke(otherMerchant, id), 404, 'api_key_not_found');
  assertError(t, await roll(otherMerchant, id, {}), 404, 'api_key_not_found');
  t.same((await otherMerchant.call(KEYS)).body['data'], []);
  t.equal((await use(secret)).status, 200);
});

t.test('every key is on a page of the list, whatever number was revoked since', async (t) => {
  const api = await openDeveloper();
  const first = await make(api, { environment: 'TEST' });
  const [owner] =
    await sql`select merchant_id from api_keys where id = ${String(first.body['id'])}`;
  const merchantId = String(owner?.['merchant_id']);
  await sql`
    insert into api_keys (id, merchant_id, environment, prefix, last_four, digest, revoked_at)
    select 'key_' || n || ${merchantId}, ${merchantId}, case n % 2 when 0 then 'TEST' else 'LIVE' end,
           'sk_test_abcd', 'abcd', decode(md5(n || ${merchantId}), 'hex'), now()
      from generate_series(1, 250) as n`;
  const readAll = async (query: string): Promise<string[]> => {
    const ids: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body } = await api.call(`${KEYS}?limit=100${query}${after}`);
      ids.push(...(body['data'] as { id: string }[]).map(({ id }) => id));
      cursor = body['next_cursor'] as string | null;
    }
    return ids;
  };
  const all = await readAll('');
  t.same([all.length, new Set(all).size], [251, 251]);
  t.equal(all.at(-1), first.body['id'], 'the oldest key, which works, is the last');
  t.equal((await readAll('&environment=LIVE')).length, 125);
  assertError(t, await api.call(`${KEYS}?cursor=x`), 400, 'field_invalid');
});
