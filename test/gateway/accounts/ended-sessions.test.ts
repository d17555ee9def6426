// A request that was admitted before its session ended changes nothing after it: the statement itself checks the session.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { deriveTaskId } from '#actors/core/tasks/kinds.js';
import type { Postgres } from '#store/postgres/client.js';
import { beginSession, makeMerchant, makePerson, type Person } from '#test/support/accounts.js';
import { type ApiAnswer, openApi } from '#test/support/api.js';
import { uniqueWord } from '#test/support/processes.js';
import { useGateways } from '#test/support/standing/service.js';
import { sendDuring } from '#test/support/waits/lock-waits.js';

const ME = '/v1/merchants/me';
const INSERTS = [
  { path: 'api-keys', body: { environment: 'TEST' } },
  { path: 'webhooks', body: { url: 'https://198.100.1.1/hook', environment: 'TEST' } },
  { path: 'payment-links', body: { environment: 'TEST', title: 'Kopi', amount: '25000' } },
  { path: 'users', body: { email: `${uniqueWord()}@example.com`, role: 'viewer' } },
] as const;

const { sql, baseUrl } = await useGateways(t);

/** Resets the password of the user with a mailed link, and holds the transaction until `request` waits for it. */
async function resetDuring(
  { userId }: Person,
  request: () => Promise<ApiAnswer>,
): Promise<ApiAnswer> {
  const digest = randomBytes(32).toString('hex');
  await sql`insert into one_time_links (digest, purpose, user_id, expires_at)
            values (decode(${digest}, 'hex'), 'reset', ${userId}, now() + interval '1 hour')`;
  const reset = (transaction: Postgres) =>
    transaction`select choose_password(${digest}, 'another hash')`;
  return sendDuring(sql, reset, request);
}

const MAKERS = ['the stranger', 'a user whom the stranger invited'] as const;
/** An invitation needs a verified address, which the stranger does not have. */
const CASES = INSERTS.flatMap(({ path, body }) =>
  MAKERS.map((maker) => ({ path, body, maker })),
).filter(({ path, maker }) => path !== 'users' || maker !== 'the stranger');

for (const { path, body, maker } of CASES) {
  t.test(`${path}: ${maker} makes nothing while a reset takes the account back`, async (t) => {
    const merchantId = await makeMerchant(sql);
    const stranger = await makePerson(sql, 'owner', merchantId);
    const friend = await makePerson(sql, 'owner', merchantId);
    const acting = maker === 'the stranger' ? stranger : friend;
    const api = openApi(baseUrl, await beginSession(sql, acting));
    await sql`update users set verified_at = null where id = ${stranger.userId}`;
    const answer = await resetDuring(stranger, () =>
      api.call(`${ME}/${path}`, { method: 'POST', body }),
    );
    t.same([answer.status, answer.code], [401, 'session_expired'], answer.text);
    const [left] = await sql`
      select (select count(*)::integer from api_keys where merchant_id = ${merchantId}) as keys,
             (select count(*)::integer from webhook_endpoints where merchant_id = ${merchantId}) as endpoints,
             (select count(*)::integer from payment_links where merchant_id = ${merchantId}) as links,
             (select count(*)::integer from users where merchant_id = ${merchantId}) as users`;
    t.same(left, { keys: 0, endpoints: 0, links: 0, users: 1 });
  });
}

t.test('a link that a reset switched off is not switched on by its session', async (t) => {
  const merchantId = await makeMerchant(sql);
  const stranger = await makePerson(sql, 'owner', merchantId);
  await sql`update users set verified_at = null where id = ${stranger.userId}`;
  const api = openApi(baseUrl, await beginSession(sql, stranger));
  const terms = { environment: 'TEST', title: 'Kopi', amount: '25000' };
  const made = await api.call(`${ME}/payment-links`, { method: 'POST', body: terms });
  const path = `${ME}/payment-links/${String(made.body['id'])}`;
  const answer = await resetDuring(stranger, () =>
    api.call(path, { method: 'PATCH', body: { active: true } }),
  );
  t.equal(answer.code, 'session_expired');
  t.same(await sql`select active from payment_links where merchant_id = ${merchantId}`, [
    { active: false },
  ]);
});

t.test('a role is not changed by a session that ends meanwhile', async (t) => {
  const merchantId = await makeMerchant(sql);
  const owner = await makePerson(sql, 'owner', merchantId);
  const other = await makePerson(sql, 'developer', merchantId);
  const api = openApi(baseUrl, await beginSession(sql, owner));
  const answer = await resetDuring(owner, () =>
    api.call(`${ME}/users/${other.userId}`, { method: 'PATCH', body: { role: 'viewer' } }),
  );
  t.equal(answer.code, 'session_expired');
  t.same(await sql`select role from users where id = ${other.userId}`, [{ role: 'developer' }]);
});

t.test('a task is not resolved by a session that ends meanwhile', async (t) => {
  const admin = await makePerson(sql, 'admin', null);
  const api = openApi(baseUrl, await beginSession(sql, admin));
  const id = deriveTaskId(uniqueWord());
  const details = JSON.stringify({ rail: 'xendit', orderId: uniqueWord() });
  await sql`insert into operator_tasks (id, kind, details, opened_at)
            values (${id}, 'unknown_order_unresolved', ${details}, now())`;
  const path = `/v1/admin/tasks/${id}/resolve`;
  const answer = await resetDuring(admin, () =>
    api.call(path, { method: 'POST', body: { action: 'acknowledge', note: 'uji' } }),
  );
  t.same([answer.status, answer.code], [401, 'session_expired'], answer.text);
  t.same(await sql`select status from operator_tasks where id = ${id}`, [{ status: 'open' }]);
});

t.test('users who change each other and make things at the same time never deadlock', async (t) => {
  const merchantId = await makeMerchant(sql);
  const people = await Promise.all([1, 2, 3].map(() => makePerson(sql, 'owner', merchantId)));
  const apis = await Promise.all(
    people.map(async (person) => openApi(baseUrl, await beginSession(sql, person))),
  );
  const link = { environment: 'TEST', title: 'Kopi', amount: '25000' };
  const hook = { url: 'https://198.100.1.1/hook', environment: 'TEST', allow_many: true };
  const statuses = new Set<number>();
  for (let round = 0; round < 15; round += 1) {
    const answers = await Promise.all(
      apis.flatMap((api, index) => [
        ...people.map(({ userId }) =>
          api.call(`${ME}/users/${userId}`, { method: 'PATCH', body: { role: 'owner' } }),
        ),
        api.call(`${ME}/api-keys`, { method: 'POST', body: { environment: 'TEST' } }),
        api.call(`${ME}/webhooks`, { method: 'POST', body: hook }),
        api.call(`${ME}/payment-links`, { method: 'POST', body: { ...link, title: `${index}` } }),
      ]),
    );
    for (const { status } of answers) statuses.add(status);
  }
  // 409: the merchant has enough keys or endpoints.
  t.same([...statuses].sort(), [200, 201, 409]);
});
