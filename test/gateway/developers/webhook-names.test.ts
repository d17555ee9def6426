// Registrations of webhook endpoints whose names cost look-ups: a merchant has a share of them, and no name is looked up
// for an endpoint that is refused anyway.
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { MAX_ENDPOINTS } from '#store/postgres/webhooks/change-endpoints.js';
import { beginSession, makeMerchant, makePerson, startGateways } from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import { addEndpoint } from '#test/support/webhooks/outbox.js';
import { startNameServer } from '#test/support/webhooks/name-server.js';

const HOOKS = '/v1/merchants/me/webhooks';
/** More than one merchant may look up at the same time. */
const FLOOD = 12;

const names = await startNameServer(t, { 'shop.test': ['93.184.215.14'] });
const { sql, baseUrl } = await startGateways(t, 1, { WEBHOOK_DNS_SERVERS: names.address });

async function openDeveloper(): Promise<{ api: Api; merchantId: string }> {
  const merchantId = await makeMerchant(sql);
  const developer = await makePerson(sql, 'developer', merchantId);
  return { api: openApi(baseUrl, await beginSession(sql, developer)), merchantId };
}

const make = (api: Api, url: string, allowsMany = true): Promise<ApiAnswer> =>
  api.call(HOOKS, { method: 'POST', body: { url, environment: 'TEST', allow_many: allowsMany } });
const assertError = (t: Test, answer: ApiAnswer, status: number, code: string): void => {
  t.same([answer.status, answer.code], [status, code], answer.text);
};
const countQuestions = (name: string): number =>
  names.questions.filter((asked) => asked === name).length;

t.test('look-ups that hang leave other merchants and other changes alone', async (t) => {
  const [{ api }, other] = [await openDeveloper(), await openDeveloper()];
  const settled: ApiAnswer[] = [];
  const flood = Array.from({ length: FLOOD }, async (_, index) => {
    settled.push(await make(api, `https://shop${index}.dead.test/`));
  });
  await waitUntil('most are refused', () => settled.length >= FLOOD / 2);
  for (const answer of settled) assertError(t, answer, 429, 'rate_limited');
  t.ok(settled.every(({ headers }) => headers['retry-after'] !== undefined));
  t.equal((await make(other.api, 'https://shop.test/hook')).status, 201);
  t.equal((await api.call(HOOKS)).status, 200);
  await Promise.all(flood);
  const statuses = settled.map(({ status }) => status);
  t.ok(statuses.includes(201), 'a name that nobody answers for may be registered');
  t.equal((await make(api, 'https://shop.test/later')).status, 201, 'the share is free again');
});

t.test('a refused endpoint causes no look-up', async (t) => {
  const { api, merchantId } = await openDeveloper();
  await addEndpoint(sql, merchantId, 'https://93.184.215.14/');
  assertError(t, await make(api, 'https://second.test/', false), 409, 'state_conflict');
  for (let count = 1; count < MAX_ENDPOINTS; count += 1) {
    await addEndpoint(sql, merchantId, 'https://93.184.215.14/');
  }
  assertError(t, await make(api, 'https://beyond.test/'), 409, 'state_conflict');
  const missing = `${HOOKS}/we_${'0'.repeat(26)}`;
  const change = { method: 'PATCH', body: { url: 'https://missing.test/' } } as const;
  assertError(t, await api.call(missing, change), 404, 'webhook_not_found');
  for (const name of ['second.test', 'beyond.test', 'missing.test']) {
    t.equal(countQuestions(name), 0, name);
  }
});
