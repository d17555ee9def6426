// Bulkheads of a gateway: lists that Postgres does not answer keep nothing else from working.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import {
  beginSession,
  makeMerchant,
  makePerson,
  PASSWORD,
  startGateways,
} from '#test/support/accounts.js';
import { type ApiAnswer, openApi } from '#test/support/api.js';
import { countLockWaits } from '#test/support/waits/lock-waits.js';

const LISTS = ['/v1/merchants/me/invoices', '/v1/merchants/me/payment-links'];
const WAITING = 32;
const AT_ONCE = 3;
/** More than may wait for their turn. */
const LOGINS = 20;

const { sql, baseUrl } = await startGateways(t);

async function openOwner() {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  return { owner, api: openApi(baseUrl, await beginSession(sql, owner)) };
}

/** Runs `work` while no list of `LISTS` can be read. */
async function withoutLists(work: () => Promise<void>): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`lock table invoices, payment_links in access exclusive mode`;
    await work();
  });
}

/** Sends calls whose answers come when they can. */
function openFlood() {
  const calls: Promise<void>[] = [];
  const answers: ApiAnswer[] = [];
  const send = (call: Promise<ApiAnswer>): void => {
    calls.push(call.then((answer) => void answers.push(answer)));
  };
  /** On a slow machine statements that wait for a lock reach their time-out. */
  const listUnexpected = (): number[] =>
    answers.map(({ status }) => status).filter((status) => ![200, 429, 503].includes(status));
  const isRefused = (): boolean => answers.some(({ code }) => code === 'rate_limited');
  return { send, answers, calls, listUnexpected, isRefused };
}

t.test('lists that hang delay no login, no change and no page of another kind', async (t) => {
  const { owner, api } = await openOwner();
  const other = await openOwner();
  const flood = openFlood();
  const login = { method: 'POST', body: { email: owner.email, password: PASSWORD } } as const;
  const endpoint = { environment: 'TEST', url: 'https://shop.example/hook' };
  const calls = {
    login: () => openApi(baseUrl).call('/v1/auth/login', login),
    merchant: () => api.call('/v1/merchants/me'),
    verification: () => api.call('/v1/merchants/kyc'),
    change: () => other.api.call('/v1/merchants/me/webhooks', { method: 'POST', body: endpoint }),
  };
  await withoutLists(async () => {
    for (let index = 0; index < WAITING + AT_ONCE; index += 1) {
      flood.send(api.call(LISTS[index % LISTS.length] ?? ''));
    }
    await waitUntil('the lists hang', async () => (await countLockWaits(sql)) >= AT_ONCE);
    for (const [name, call] of Object.entries(calls)) {
      // A call that waits for a list is answered after it, each time.
      const answer = await waitUntil(`${name} is answered while lists hang`, async () => {
        const before = flood.answers.length;
        const answered = await call();
        const hanging = flood.calls.length - before;
        return flood.answers.length === before && hanging >= AT_ONCE ? answered : null;
      });
      t.ok(answer.status < 300, `${name}: ${answer.status}`);
      t.ok((await countLockWaits(sql)) <= AT_ONCE, 'on as many connections as lists have');
    }
  });
  await Promise.all(flood.calls);
  t.same(flood.listUnexpected(), []);
});

t.test('a merchant with a full queue gets 429, and another one its turn', async (t) => {
  const { api } = await openOwner();
  const other = await openOwner();
  const flood = openFlood();
  let turn: Promise<ApiAnswer> | undefined;
  await withoutLists(async () => {
    for (let index = 0; index < WAITING + AT_ONCE; index += 1) {
      flood.send(api.call(LISTS[0] ?? ''));
    }
    await waitUntil('the queue is full', () => {
      flood.send(api.call(LISTS[0] ?? ''));
      return flood.isRefused();
    });
    turn = other.api.call(LISTS[0] ?? '');
  });
  t.equal((await turn)?.status, 200);
  await Promise.all(flood.calls);
  t.same(flood.listUnexpected(), []);
});

t.test('a login that is refused because too many wait costs no query', async (t) => {
  const { owner } = await openOwner();
  const body = { email: owner.email, password: PASSWORD };
  const flood = openFlood();
  await sql.begin(async (tx) => {
    await tx`lock table users in access exclusive mode`;
    for (let index = 0; index < LOGINS; index += 1) {
      flood.send(openApi(baseUrl).call('/v1/auth/login', { method: 'POST', body }));
    }
    await waitUntil('a login is refused', flood.isRefused);
    await waitUntil(
      'the login whose turn it is waits',
      async () => (await countLockWaits(sql)) > 0,
    );
    t.equal(await countLockWaits(sql), 1, 'the query of the login whose turn it is');
  });
  await Promise.all(flood.calls);
  t.same(flood.listUnexpected(), []);
  t.ok(flood.answers.some(({ status }) => status === 200));
});
