// Admission through a real server: the order of the checks and their codes.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { makeApiKey } from '#actors/core/api-key.js';
import { CredentialCache } from '#gateway/auth/credentials.js';
import { DeadlineError } from '#ops/runtime/deadline.js';
import { reply } from '#gateway/routing/response.js';
import { defineKeyRoute } from '#gateway/routing/route.js';
import { makeCredential, startTarget } from '#test/support/http/target.js';

const makeKey = (environment: 'TEST' | 'LIVE'): string => makeApiKey(environment, randomBytes(96));
const live = makeKey('LIVE');
const gated = makeKey('LIVE');
const reader = makeKey('TEST');
const paidOut = makeKey('LIVE');
const local = makeKey('TEST');
const elsewhere = makeKey('TEST');

const payouts = defineKeyRoute({
  method: 'POST',
  path: '/v1/payouts',
  operationId: 'payOut',
  summary: 'pay out',
  description: '',
  scope: 'payouts',
  answers: {},
  handle: () => reply(201, '{}'),
});

const target = await startTarget({
  routes: [payouts],
  credentials: [
    makeCredential(live),
    makeCredential(gated, { takesPayments: false }),
    makeCredential(reader, { scopes: ['read'] }),
    makeCredential(paidOut, { scopes: ['payouts'] }),
    makeCredential(local, { allowedAddresses: ['127.0.0.0/8', '::1'] }),
    makeCredential(elsewhere, { allowedAddresses: ['192.0.2.0/24'] }),
  ],
});
t.teardown(() => target.server.stop(0));

const base = `http://127.0.0.1:${target.port}`;
const PAYMENT = '/v1/payments/pay_00000000000000000000000000';
const SANDBOX = '/v1/sandbox/payments/pay_00000000000000000000000000';
const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

interface Received {
  status: number;
  code: string | undefined;
  headers: Headers;
}

async function ask(
  path: string,
  headers: Record<string, string>,
  init: RequestInit = {},
): Promise<Received> {
  const answer = await fetch(base + path, { ...init, headers });
  const text = await answer.text();
  const code = /"code":"(\w+)"/.exec(text)?.[1];
  return { status: answer.status, code, headers: answer.headers };
}

const create = (headers: Record<string, string>, body = '{"amount":"1"}'): Promise<Received> =>
  ask('/v1/payments', { 'content-type': 'application/json', ...headers }, { method: 'POST', body });

t.test('a request needs exactly one credential of the right kind', async (test) => {
  const mistyped = `${target.key.slice(0, -1)}${target.key.endsWith('0') ? '1' : '0'}`;
  const cases: [headers: Record<string, string>, status: number, code: string | undefined][] = [
    [{}, 401, 'credential_missing'],
    [{ 'x-api-key': '' }, 401, 'credential_missing'],
    [bearer(target.key), 200, undefined],
    [{ authorization: `bearer   ${target.key}` }, 200, undefined],
    [{ 'x-api-key': target.key }, 200, undefined],
    [{ ...bearer(target.key), 'x-api-key': target.key }, 200, undefined],
    [{ ...bearer(target.key), 'x-api-key': live }, 401, 'credential_mixed'],
    [{ ...bearer('cs_token'), 'x-api-key': target.key }, 401, 'credential_mixed'],
    [{ authorization: 'Basic YTpi', 'x-api-key': target.key }, 401, 'credential_mixed'],
    [bearer('cs_token'), 401, 'credential_wrong_kind'],
    [{ 'x-api-key': 'cs_token' }, 401, 'credential_wrong_kind'],
    [bearer(mistyped), 401, 'credential_invalid'],
    [bearer(makeKey('TEST')), 401, 'credential_invalid'],
    [bearer('pk_test_1'), 401, 'credential_invalid'],
    [{ authorization: 'Basic YTpi' }, 401, 'credential_invalid'],
    [{ authorization: 'Bearer' }, 401, 'credential_invalid'],
    [{ authorization: `Bearer ${target.key} ${target.key}` }, 401, 'credential_invalid'],
  ];
  for (const [headers, status, code] of cases) {
    const received = await ask(PAYMENT, headers);
    test.same([received.status, received.code], [status, code], JSON.stringify(headers));
  }
});

t.test('the LIVE gate closes each path, and an unknown path stays 404', async (test) => {
  for (const path of [PAYMENT, SANDBOX]) {
    const received = await ask(path, bearer(gated));
    test.same([received.status, received.code], [400, 'live_not_enabled'], path);
  }
  test.equal((await create(bearer(gated), 'nonsense')).code, 'live_not_enabled', 'before the body');
  for (const headers of [{}, bearer(gated), bearer('nonsense')]) {
    test.equal((await ask('/v1/nothing', headers)).code, 'path_not_found');
    test.equal((await ask('/v1/payments/nonsense', headers)).code, 'payment_not_found');
  }
  test.equal((await ask(SANDBOX, bearer(live))).status, 200);
  test.equal((await ask(SANDBOX, bearer('nonsense'))).status, 200, 'no credential is needed');
});

t.test('an unknown version is rejected after the credential', async (test) => {
  const known = await ask(PAYMENT, { ...bearer(target.key), 'service-version': '2026-08-02' });
  test.equal(known.status, 200);
  test.equal(known.headers.get('service-version'), '2026-08-02');
  const unknown = await ask(PAYMENT, { ...bearer(target.key), 'service-version': '2026-08-03' });
  test.equal(unknown.code, 'version_unknown');
  test.equal((await ask(PAYMENT, { 'service-version': 'x' })).code, 'credential_missing', 'first');
  test.equal((await ask('/v1/nothing', {})).headers.get('service-version'), '2026-08-02');
  test.equal((await ask('/healthz', {})).headers.get('service-version'), null);
});

t.test('a live key needs a valid idempotency key', async (test) => {
  test.equal((await create(bearer(live))).code, 'idempotency_key_required');
  test.equal((await create({ ...bearer(live), 'idempotency-key': 'order 1' })).status, 201);
  test.equal((await create(bearer(target.key))).status, 201);
  test.equal(target.handled('order 1'), 1);
  for (const key of ['', 'k'.repeat(256), 'a\tb', 'é']) {
    const received = await create({ ...bearer(target.key), 'idempotency-key': key }, 'nonsense');
    test.equal(received.code, 'idempotency_key_invalid', `${key} before the body`);
  }
});

t.test('a restricted key is limited to its scopes and addresses', async (test) => {
  test.equal((await ask(PAYMENT, bearer(reader))).status, 200);
  test.equal((await create(bearer(reader))).code, 'scope_insufficient');
  const payOut = (key: string): Promise<Received> =>
    ask('/v1/payouts', bearer(key), { method: 'POST' });
  test.equal((await payOut(target.key)).status, 201, 'open with a test key');
  test.equal((await payOut(live)).code, 'scope_insufficient', 'off unless granted');
  test.equal((await payOut(paidOut)).status, 201);
  test.equal((await ask(PAYMENT, bearer(paidOut))).code, 'scope_insufficient');
  test.equal((await ask(PAYMENT, bearer(local))).status, 200);
  const refused = await ask(PAYMENT, bearer(elsewhere));
  test.same([refused.status, refused.code], [403, 'address_not_allowed']);
});

t.test('without Postgres key routes answer 503 and open routes go on', async (test) => {
  const credentials = new CredentialCache({
    findCredentials: () => Promise.reject(new DeadlineError(2_500)),
    monotonicMs: () => performance.now(),
  });
  const away = await startTarget({ options: { credentials } });
  test.teardown(() => away.server.stop(0));
  const at = `http://127.0.0.1:${away.port}`;
  const answer = await fetch(at + PAYMENT, { headers: bearer(away.key) });
  test.equal(answer.status, 503);
  test.equal(answer.headers.get('retry-after'), '1');
  test.match(await answer.json(), {
    error: { type: 'unavailable', code: 'dependency_unavailable' },
  });
  test.equal((await fetch(at + SANDBOX, { headers: bearer(gated) })).status, 200);
  test.same(away.failures, []);
});

t.test('X-Forwarded-For counts only behind a trusted proxy', async (test) => {
  const proxied = await startTarget({ options: { trustedProxies: ['127.0.0.0/8'] } });
  test.teardown(() => proxied.server.stop(0));
  const read = async (forwarded: string): Promise<unknown> => {
    const headers = { 'x-forwarded-for': forwarded };
    return (await fetch(`http://127.0.0.1:${proxied.port}${SANDBOX}`, { headers })).json();
  };
  test.same(await read('198.51.100.7'), { address: '198.51.100.7' });
  test.same(await read('spoofed, 198.51.100.7, 127.0.0.2'), { address: '198.51.100.7' });
  const headers = { 'x-forwarded-for': '198.51.100.7' };
  test.same(await (await fetch(base + SANDBOX, { headers })).json(), { address: '127.0.0.1' });
});
