// The stream of changes: a page is told what changes at its merchant in its environment and what its role may read, and
// nothing else.
import t, { type Test } from 'tap';
import type { Role } from '#gateway/routing/roles.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import {
  beginSession,
  makeMerchant,
  makePerson,
  PASSWORD,
  type Person,
  readMail,
} from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import { makePaid, openKey, payOut } from '#test/support/rails/payouts.js';
import { startProcess } from '#test/support/processes.js';
import { startServingService } from '#test/support/serving.js';
import { addEndpoint } from '#test/support/webhooks/outbox.js';
import { receiverVariables, startReceiver } from '#test/support/webhooks/receiver.js';

const PATH = '/v1/merchants/me/changes';
const EVENT_STREAM = 'text/event-stream';
const STREAMS_PER_MERCHANT = 50;

const service = await startServingService(t, {
  gateways: 2,
  variables: await receiverVariables(t),
});
const sql = openPostgres(service.databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));
await startProcess(t, 'webhooks', service.variables);
const { merchantId } = service.merchant;
const owner = await beginSession(sql, await makePerson(sql, 'owner', merchantId));
const viewer = await beginSession(sql, await makePerson(sql, 'viewer', merchantId));
const otherMerchant = await beginSession(
  sql,
  await makePerson(sql, 'owner', await makeMerchant(sql)),
);
const [first, second] = service.gateways.map(({ baseUrl }) => baseUrl);

/** The events that a browser which follows the changes has received. */
interface Followed {
  readonly text: () => string;
  readonly isOver: () => boolean;
  readonly status: number;
}

async function follow(
  t: Test,
  token: string,
  { environment = 'TEST', baseUrl = first ?? '' } = {},
): Promise<Followed> {
  const stopped = new AbortController();
  t.teardown(() => stopped.abort());
  const answer = await fetch(`${baseUrl}${PATH}?environment=${environment}`, {
    headers: { authorization: `Bearer ${token}`, accept: EVENT_STREAM },
    signal: stopped.signal,
  });
  let text = '';
  let isOver = false;
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) text += decoder.decode(chunk as Uint8Array);
    isOver = true;
  };
  read().catch(() => undefined);
  return { status: answer.status, text: () => text, isOver: () => isOver };
}

const waitForText = (what: string, followed: Followed, text: string) =>
  waitUntil(what, () => followed.text().includes(text));

async function payPaid(): Promise<string> {
  const { body } = await service.api.create({ amount: '15000' });
  await service.api.simulate(body['id'], 'paid');
  return String(body['id']);
}

t.test('a page gets the changed payments of its merchant from every gateway', async (t) => {
  const pages = [await follow(t, owner), await follow(t, viewer, { baseUrl: second ?? '' })];
  for (const page of pages) await waitForText('the page is ready', page, 'event: ready');
  const ids = [await payPaid(), await payPaid()];
  for (const page of pages) {
    for (const id of ids) await waitForText('the payment is told', page, id);
    t.match(page.text(), /^event: changes\ndata: \{"ids":\["pay_[^\n]*\]\}\n\n/m);
  }
});

t.test('a page gets no change of another environment or merchant', async (t) => {
  const live = await follow(t, owner, { environment: 'LIVE' });
  const foreign = await follow(t, otherMerchant);
  const own = await follow(t, owner);
  for (const page of [live, foreign, own]) {
    await waitForText('the page is ready', page, 'event: ready');
  }
  await waitForText('the payment is told', own, await payPaid());
  // All pages of a gateway are told after one reading.
  for (const page of [live, foreign]) t.notMatch(page.text(), /pay_/);
});

t.test('a page gets changes of payouts only if its role may read them', async (t) => {
  const [pays, watches] = [await follow(t, owner), await follow(t, viewer)];
  for (const page of [pays, watches]) await waitForText('the page is ready', page, 'event: ready');
  await makePaid(service.api, '100000');
  const keys = await openKey(first ?? '', sql, merchantId, 'TEST', ['payouts', 'read']);
  const id = String((await payOut(keys, { amount: '20000' }, 'told')).body['id']);
  await waitForText('the payout is told', pays, id);
  const path = `/v1/payouts/${id}/cancel`;
  t.match((await keys.call(path, { method: 'POST' })).body, { status: 'FAILED' });
  await waitUntil('its end is told', () => pays.text().split(id).length > 2);
  await waitForText('a later payment is told', watches, await payPaid());
  t.notMatch(watches.text(), /po_/);
});

/** Of a new person of the merchant, ready. */
async function followAs(t: Test, role: Role): Promise<Followed> {
  const page = await follow(t, await beginSession(sql, await makePerson(sql, role, merchantId)));
  await waitForText('the page is ready', page, 'event: ready');
  return page;
}

t.test('a page gets attempts of deliveries only if its role may read them', async (t) => {
  const { id } = await addEndpoint(sql, merchantId, (await startReceiver(t)).url);
  const [developer, finance] = [await followAs(t, 'developer'), await followAs(t, 'finance')];
  const foreign = await follow(t, otherMerchant);
  await waitForText('the page is ready', foreign, 'event: ready');
  const paid = await payPaid();
  await waitForText('the attempt is told', developer, id);
  await waitForText('the payment is told', finance, paid);
  await waitForText('a later payment is told', finance, await payPaid());
  for (const page of [finance, foreign]) t.notMatch(page.text(), /we_/);
});

t.test('a page gets the steps of a replay', async (t) => {
  const { id } = await addEndpoint(sql, merchantId, 'https://localhost/hook');
  // So its deliveries stay dead without an attempt.
  await sql`update webhook_endpoints set active = false where id = ${id}`;
  const page = await followAs(t, 'developer');
  await sql`
    with job as (
      insert into webhook_replays (id, merchant_id, from_at, until_at, with_pending)
      values ('rpl_1', ${merchantId}, '-infinity', now(), false) returning id)
    insert into webhook_replay_parts (replay_id, endpoint_id, total, reached_at)
    select id, ${id}, 1, '-infinity' from job`;
  await waitForText('the replay is told', page, id);
});

const ENDS = {
  'is signed out': 'sessions set ended_at = now() where user_id = $1',
  'has expired': 'sessions set expires_at = now() where user_id = $1',
  'is idle for too long':
    "sessions set last_used_at = now() - interval '1 hour' where user_id = $1",
  'has another role': "users set role = 'viewer' where id = $1",
};
for (const [what, change] of Object.entries(ENDS)) {
  t.test(`a stream whose session ${what} ends, and tells nothing more`, async (t) => {
    const person = await makePerson(sql, 'developer', merchantId);
    const page = await follow(t, await beginSession(sql, person));
    await waitForText('the page is ready', page, 'event: ready');
    await sql.unsafe(`update ${change}`, [person.userId]);
    const id = await payPaid();
    await waitUntil('the stream has ended', () => page.isOver());
    t.notMatch(page.text(), id);
  });
}

interface Ended {
  readonly person: Person;
  /** Another session of the person. */
  readonly other: Api;
}

const USERS = '/v1/merchants/me/users';
const post = (api: Api, path: string, body: object): Promise<ApiAnswer> =>
  api.call(path, { method: 'POST', body });
const ownerApi = openApi(first ?? '', owner);
/** Asked at the first gateway, while the page follows at the second one. */
const ENDED_BY: Readonly<Record<string, (ended: Ended) => Promise<ApiAnswer>>> = {
  'is removed': ({ person }) => ownerApi.call(`${USERS}/${person.userId}`, { method: 'DELETE' }),
  'gets another role': ({ person }) =>
    ownerApi.call(`${USERS}/${person.userId}`, { method: 'PATCH', body: { role: 'viewer' } }),
  'ends the other sessions': ({ other }) => other.call('/v1/auth/sessions', { method: 'DELETE' }),
  'changes the password': ({ other }) =>
    post(other, '/v1/auth/password', { current_password: PASSWORD, password: `${PASSWORD}-2` }),
  'resets the password': async ({ person }) => {
    const anonymous = openApi(first ?? '');
    await post(anonymous, '/v1/auth/password-reset', { email: person.email });
    const { token } = await waitUntil('the mail was written', () => readMail(sql, person.email));
    return post(anonymous, '/v1/auth/password-reset/confirm', { token, password: `${PASSWORD}-2` });
  },
};
for (const [what, end] of Object.entries(ENDED_BY)) {
  t.test(
    `a stream whose user ${what} at another gateway ends, and tells nothing more`,
    async (t) => {
      const person = await makePerson(sql, 'developer', merchantId);
      const page = await follow(t, await beginSession(sql, person), { baseUrl: second ?? '' });
      await waitForText('the page is ready', page, 'event: ready');
      const other = openApi(first ?? '', await beginSession(sql, person));
      const { status, text } = await end({ person, other });
      t.ok(status < 300, text);
      const id = await payPaid();
      await waitUntil('the stream has ended', () => page.isOver());
      t.notMatch(page.text(), id);
    },
  );
}

t.test('a comment shows that an idle stream lives', async (t) => {
  const page = await follow(t, owner, { environment: 'LIVE' });
  await waitForText('a comment after the one behind the event', page, '\n\n:\n\n:\n\n');
  t.notOk(page.isOver());
});

t.test('a request that does not accept events gets the type in the error', async (t) => {
  const answer = await openApi(first ?? '', owner).call(PATH);
  t.equal(answer.status, 400);
  t.match(answer.body, { error: { param: 'Accept', message: /text\/event-stream/ } });
});

t.test('a merchant holds a bounded number of streams, and gets places back', async (t) => {
  const open = Array.from({ length: STREAMS_PER_MERCHANT }, () => fetchStream());
  const held = await Promise.all(open);
  t.ok(held.every(({ status }) => status === 200));
  const refused = await fetchStream();
  t.equal(refused.status, 429);
  await refused.text();
  for (const { stopped } of held) stopped();
  await waitUntil('a place is free', async () => {
    const { status, stopped } = await fetchStream();
    stopped();
    return status === 200;
  });
});

async function fetchStream() {
  const stopping = new AbortController();
  const answer = await fetch(`${first}${PATH}`, {
    headers: { authorization: `Bearer ${otherMerchant}`, accept: EVENT_STREAM },
    signal: stopping.signal,
  });
  return {
    status: answer.status,
    text: () => answer.text(),
    stopped: () => stopping.abort(),
  };
}

t.test('a gateway that stops ends its streams at once', async (t) => {
  const page = await follow(t, owner, { baseUrl: second ?? '' });
  await waitForText('the page is ready', page, 'event: ready');
  const stopped = service.gateways[1]?.stop();
  await waitUntil('the stream has ended', () => page.isOver());
  await stopped;
});
