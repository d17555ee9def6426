// Webhook endpoints over HTTP: registration, changes, secret rotation, test events and deliveries.
import t, { type Test } from 'tap';
import { disableFailing } from '#store/postgres/webhooks/failing-endpoints.js';
import {
  beginSession,
  enrolSecondFactor,
  makeMerchant,
  makePerson,
} from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import { useGateways } from '#test/support/standing/service.js';

const HOOKS = '/v1/merchants/me/webhooks';
const URL_TEXT = 'https://93.184.215.14/webhooks';
const { sql, baseUrl } = await useGateways(t);

function assertError(t: Test, answer: ApiAnswer, status: number, code: string): void {
  t.same([answer.status, answer.code], [status, code], answer.text);
}

async function openDeveloper(): Promise<Api> {
  const developer = await makePerson(sql, 'developer', await makeMerchant(sql));
  return openApi(baseUrl, await beginSession(sql, developer));
}

const make = (api: Api, body: object = {}): Promise<ApiAnswer> =>
  api.call(HOOKS, { method: 'POST', body: { url: URL_TEXT, environment: 'TEST', ...body } });
const on = (api: Api, id: unknown, verb: string, body: object = {}): Promise<ApiAnswer> =>
  api.call(`${HOOKS}/${String(id)}/${verb}`, { method: 'POST', body });
const change = (api: Api, id: unknown, body: object): Promise<ApiAnswer> =>
  api.call(`${HOOKS}/${String(id)}`, { method: 'PATCH', body });

t.test('an endpoint is registered, listed, changed and deleted', async (t) => {
  const api = await openDeveloper();
  const made = await make(api);
  t.equal(made.status, 201);
  t.match(made.body, { secret: /^whsec_/, events: ['*'], active: true, overlap_ends_at: null });
  const { id, secret } = made.body;
  assertError(t, await make(api), 409, 'state_conflict');
  const second = await make(api, { allow_many: true, events: ['payment.paid'] });
  t.equal(second.status, 201);
  const { user } = (await api.call('/v1/auth/me')).body;
  const makeCode = await enrolSecondFactor(sql, api, (user as { id: string }).id);
  t.equal(
    (await make(api, { environment: 'LIVE', totp_code: await makeCode() })).status,
    201,
    'the other environment has its own active endpoint',
  );
  const listed = await api.call(`${HOOKS}?environment=TEST`);
  t.equal((listed.body['data'] as unknown[]).length, 2);
  t.notOk(listed.text.includes(String(secret)), 'the list does not show the secret');
  const [stored] = await sql`select secret from webhook_endpoints where id = ${String(id)}`;
  t.match(stored?.['secret'], /^v1\./);
  t.match((await change(api, id, { active: false })).body, { active: false });
  assertError(t, await change(api, id, { active: true }), 409, 'state_conflict');
  t.match((await change(api, id, { active: true, allow_many: true })).body, { active: true });
  t.equal((await api.call(`${HOOKS}/${String(id)}`, { method: 'DELETE' })).status, 204);
  assertError(t, await api.call(`${HOOKS}/${String(id)}`), 404, 'webhook_not_found');
});

t.test('an endpoint replaces the active one of its environment, when it is asked to', async (t) => {
  const api = await openDeveloper();
  const [first, second] = [
    (await make(api)).body['id'],
    (await make(api, { replace_others: true })).body['id'],
  ];
  const listActive = async (): Promise<unknown[]> => {
    const { body } = await api.call(`${HOOKS}?environment=TEST`);
    const all = body['data'] as { id: string; active: boolean }[];
    return all.filter(({ active }) => active).map(({ id }) => id);
  };
  t.same(await listActive(), [second], 'the one that was added');
  const on = { active: true, replace_others: true };
  t.match((await change(api, first, on)).body, { active: true, state: 'active' });
  t.same(await listActive(), [first], 'the one that was switched on');
  t.match((await api.call(`${HOOKS}/${String(second)}`)).body, { state: 'off', held_until: null });
});

t.test('an endpoint that is switched off says what waits, and holds it on request', async (t) => {
  const api = await openDeveloper();
  const { id } = (await make(api)).body;
  await on(api, id, 'test');
  const shown = await api.call(`${HOOKS}/${String(id)}`);
  t.match(shown.body, { state: 'active', waiting: 1, last_24_hours: { error_rate: null } });
  const off = await change(api, id, { active: false, hold_waiting: true });
  t.match(off.body, { state: 'off', waiting: 1, held_until: /^\d{4}-/ });
  t.match((await api.call(`${HOOKS}/deliveries`)).body, {
    data: [{ status: 'pending', next_attempt_at: null }],
  });
  t.match((await change(api, id, { active: true })).body, { state: 'active', held_until: null });
  t.match((await change(api, id, { active: false })).body, { state: 'off', held_until: null });
});

t.test('a disabled endpoint is listed as an event for its own merchant only', async (t) => {
  const [api, other] = [await openDeveloper(), await openDeveloper()];
  const { id } = (await make(api)).body;
  await sql`
    insert into webhook_endpoint_failures (endpoint_id, since, latest)
    values (${String(id)}, now() - interval '6 days', now())`;
  t.ok((await disableFailing(sql)).includes(String(id)));
  t.match((await api.call(`${HOOKS}/${String(id)}`)).body, { active: false });
  const events = await api.call(`${HOOKS}/events?environment=TEST`);
  const data = { endpoint_id: id, environment: 'TEST', url: URL_TEXT, failing_since: String };
  t.match(events.body, { data: [{ id: /^evt_/, type: 'endpoint.disabled', data }] });
  for (const [client, path] of [
    [api, `${HOOKS}/events?environment=LIVE`],
    [other, `${HOOKS}/events`],
  ] as const) {
    t.strictSame((await client.call(path)).body, { data: [] });
  }
  t.match((await change(api, id, { active: true })).body, { active: true });
});

t.test('an endpoint with a forbidden URL returns 400 target_refused', async (t) => {
  const api = await openDeveloper();
  for (const url of [
    'http://93.184.215.14/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://169.254.169.254/latest',
    'https://10.0.0.1/',
    'https://user:secret@93.184.215.14/',
    'https://93.184.215.14:25/',
    'https://metadata.google.internal/',
    'nonsense',
  ]) {
    assertError(t, await make(api, { url }), 400, 'target_refused');
  }
  const { id } = (await make(api)).body;
  assertError(t, await change(api, id, { url: 'https://127.0.0.1/' }), 400, 'target_refused');
  assertError(t, await make(api, { events: ['*', 'payment.paid'] }), 400, 'field_invalid');
  assertError(t, await make(api, { events: [] }), 400, 'field_invalid');
});

t.test('an endpoint rotates its secret and sends test events to its own merchant', async (t) => {
  const api = await openDeveloper();
  const { id, secret } = (await make(api)).body;
  const rotated = await on(api, id, 'rotate', { overlap_seconds: 3600 });
  t.equal(rotated.status, 200);
  t.match(rotated.body, { secret: /^whsec_/, overlap_ends_at: /^\d{4}-/ });
  t.not(rotated.body['secret'], secret);
  assertError(t, await on(api, id, 'rotate'), 409, 'state_conflict');
  t.match((await on(api, id, 'rotate', { overlap_seconds: 0 })).body, { overlap_ends_at: null });
  const sent = await on(api, id, 'test', { type: 'payment.failed' });
  t.equal(sent.status, 201);
  t.match(sent.body, { status: 'pending', attempts: 0, type: 'payment.failed', reason: null });
  t.match(JSON.parse(String(sent.body['body'])), { data: { test: true } });
  const listed = await api.call(`${HOOKS}/${String(id)}/deliveries?status=pending`);
  t.match(listed.body, { data: [{ id: sent.body['id'] }], next_cursor: null });
  const shown = await api.call(`${HOOKS}/deliveries/${String(sent.body['id'])}`);
  const { next_attempt_at: next, ...rest } = shown.body;
  const { next_attempt_at: former, ...before } = sent.body;
  t.same(rest, before);
  t.ok(String(next) >= String(former), 'a time that has passed is not called next');
  await change(api, id, { active: false });
  assertError(t, await on(api, id, 'test'), 409, 'state_conflict');
  const otherMerchant = await openDeveloper();
  const path = `${HOOKS}/deliveries/${String(sent.body['id'])}`;
  assertError(t, await otherMerchant.call(path), 404, 'delivery_not_found');
  assertError(
    t,
    await otherMerchant.call(`${HOOKS}/${String(id)}/deliveries`),
    404,
    'webhook_not_found',
  );
  for (const verb of ['rotate', 'test']) {
    assertError(t, await on(otherMerchant, id, verb), 404, 'webhook_not_found');
  }
  assertError(t, await change(otherMerchant, id, { active: true }), 404, 'webhook_not_found');
});
