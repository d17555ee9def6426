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

const countLockWaits = async (): Promise<number> =>
  (await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock'`).length;

t.test('lists that hang delay no login, no change and no page of another kind', async (t) => {
  const { owner, api } = await openOwner();
  const other = await openOwner();
  const settled: ApiAnswer[] = [];
  const flood: Promise<unknown>[] = [];
  await withoutLists(async () => {
    for (let index = 0; index < WAITING + AT_ONCE; index += 1) {
      const call = api.call(LISTS[index % LISTS.length] ?? '');
      flood.push(call.then((answer) => settled.push(answer)));
    }
    await waitUntil('the lists hang', async () => (await countLockWaits()) >= AT_ONCE);
    t.equal(await countLockWaits(), AT_ONCE, 'on as many connections as lists have');
    const login = { method: 'POST', body: { email: owner.email, password: PASSWORD } } as const;
    const answers = await Promise.all([
      openApi(baseUrl).call('/v1/auth/login', login),
      api.call('/v1/merchants/me'),
      api.call('/v1/merchants/kyc'),
      other.api.call('/v1/merchants/me/webhooks', {
        method: 'POST',
        body: { environment: 'TEST', url: 'https://shop.example/hook', events: ['payment.paid'] },
      }),
    ]);
    t.same(
      answers.slice(0, 3).map(({ status }) => status),
      [200, 200, 200],
    );
    t.not(answers[3]?.status, 503);
    t.same(settled, [], 'while every list still hangs');
  });
  await Promise.all(flood);
});

t.test('a merchant with a full queue gets 429, and another one its turn', async (t) => {
  const { api } = await openOwner();
  const other = await openOwner();
  const flood: Promise<ApiAnswer>[] = [];
  let turn: Promise<ApiAnswer> | undefined;
  await withoutLists(async () => {
    for (let index = 0; index < WAITING + AT_ONCE; index += 1) flood.push(api.call(LISTS[0] ?? ''));
    await waitUntil('the queue is full', async () => {
      const answer = await Promise.race([
        api.call(LISTS[0] ?? ''),
        new Promise<undefined>((resolve) => setTimeout(resolve, 200, undefined)),
      ]);
      return answer?.code === 'rate_limited';
    });
    turn = other.api.call(LISTS[0] ?? '');
  });
  t.equal((await turn)?.status, 200);
  const answers = await Promise.all(flood);
  t.ok(
    answers.every(({ status }) => status === 200 || status === 503 || status === 429),
    answers.map(({ status }) => status).join(),
  );
});

t.test('a login that is refused because too many wait costs no query', async (t) => {
  const { owner } = await openOwner();
  const body = { email: owner.email, password: PASSWORD };
  const flood: Promise<ApiAnswer>[] = [];
  await sql.begin(async (tx) => {
    await tx`lock table users in access exclusive mode`;
    for (let index = 0; index < LOGINS; index += 1) {
      flood.push(openApi(baseUrl).call('/v1/auth/login', { method: 'POST', body }));
    }
    const first = await Promise.race(flood);
    t.equal(first.code, 'rate_limited');
    t.equal(await countLockWaits(), 1, 'the query of the login whose turn it is');
  });
  const codes = (await Promise.all(flood)).map(({ status, code }) => code ?? status);
  t.same(new Set(codes), new Set([200, 'rate_limited']));
});
