// The figures of the home page over HTTP, from payments that were really made, and the matters that need attention.
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { listBalanceAccounts } from '#actors/core/schemas/balance.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import { createTestMerchant, startProcess, startService } from '#test/support/processes.js';
import type { Role } from '#gateway/routing/roles.js';

const STATISTICS = '/v1/merchants/me/statistics';
const ATTENTION = '/v1/merchants/me/attention';
/** The sandbox pays it and leaves its refunds to an administrator. */
const BY_HAND = '10094';
const NOTHING = { count: 0, amount: '0' };

const service = await startService(t);
await startProcess(t, 'webhooks', service.variables);
const sql = openPostgres(service.databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));

async function openMerchant() {
  const { merchantId, testKey } = await createTestMerchant(service.databaseUrl);
  const openSession = async (role: Role): Promise<Api> => {
    const person = await makePerson(sql, role, merchantId);
    return openApi(service.baseUrl, await beginSession(sql, person));
  };
  const server = openApi(service.baseUrl, testKey);
  return { merchantId, server, openSession, owner: await openSession('owner') };
}

interface Row extends Readonly<Record<string, unknown>> {
  readonly start: string;
}

async function readRows(api: Api, query = ''): Promise<readonly Row[]> {
  const { status, body, text } = await api.call(STATISTICS + query);
  if (status !== 200) throw new Error(text);
  return body['data'] as Row[];
}

async function create(server: Api, fields: object, outcome?: string): Promise<unknown> {
  const { body } = await server.create({ payment_method: 'QRIS', ...fields });
  if (outcome !== undefined) await server.simulate(body['id'], outcome);
  return body['id'];
}

function assertInvalid(t: Test, answer: ApiAnswer, param: string, part: RegExp): void {
  t.match([answer.status, answer.code], [400, 'field_invalid'], answer.text);
  t.match(answer.body['error'], { param, message: part });
}

t.test('payments are counted by their outcome, today and over time', async (t) => {
  const { server, owner } = await openMerchant();
  const paid = await create(
    server,
    { amount: '150000', metadata: { a: '"refund_amount":"9"}}' } },
    'paid',
  );
  await create(server, { amount: '50000' }, 'paid');
  await create(server, { amount: '70000' }, 'failed');
  await server.cancel(await create(server, { amount: '30000' }));
  await create(server, { amount: '20000' });
  const refund = { payment_id: paid, amount: '40000' };
  t.equal((await server.call('/v1/refunds', { method: 'POST', body: refund })).status, 201);
  const outcomes = {
    paid: { count: 2, amount: '200000' },
    failed: { count: 1, amount: '70000' },
    cancelled: { count: 1, amount: '30000' },
    refunded: { count: 1, amount: '40000' },
    reversed: NOTHING,
    success_rate: 2 / 3,
  };
  const body = await waitUntil('everything is counted', async () => {
    const answer = await owner.call(STATISTICS);
    const { paid, refunded, failed, cancelled } = answer.body['today'] as typeof outcomes;
    const counts = [paid.count, refunded.count, failed.count, cancelled.count];
    return counts.join() === '2,1,1,1' ? answer.body : undefined;
  });
  t.strictSame(body['today'], outcomes);
  const pending = { count: 1, amount: '20000' };
  t.strictSame(body['total'], { ...outcomes, pending });
  t.strictSame(body['pending'], { ...pending, complete: true });
  t.match(body, {
    ...{ object: 'statistics', environment: 'TEST', currency: 'IDR' },
    ...{ interval: 'day', time_zone: 'Asia/Jakarta' },
  });
  const rows = body['data'] as Row[];
  t.equal(rows.length, 31);
  const { start, ...last } = rows.at(-1) ?? { start: '' };
  t.match(start, /T17:00:00\.000Z$/, 'midnight in Jakarta');
  t.strictSame(last, { ...outcomes, pending });
  t.strictSame(rows[0]?.['paid'], NOTHING);
  t.equal(rows[0]?.['success_rate'], null);
  const other = await openMerchant();
  t.match((await other.owner.call(STATISTICS)).body, {
    today: { paid: NOTHING },
    pending: NOTHING,
  });
  const live = await owner.call(`${STATISTICS}?environment=LIVE`);
  t.match(live.body, { environment: 'LIVE', total: { paid: NOTHING }, pending: NOTHING });
});

t.test(
  'a payment that is paid between two reads of the figures is still pending in all',
  async (t) => {
    const { server, owner } = await openMerchant();
    const id = String(await create(server, { amount: '20000' }));
    await waitUntil('the payment is stored', async () => {
      const { body } = await owner.call(STATISTICS);
      return (body['pending'] as { count: number }).count === 1;
    });
    let answer: Promise<ApiAnswer> | undefined;
    await sql.begin(async (tx) => {
      await tx`lock table payments in access exclusive mode`;
      answer = owner.call(STATISTICS);
      await waitUntil('the sum of pending payments waits, after the totals', async () => {
        const waiting = await sql`
        select 1 from pg_stat_activity
         where wait_event_type = 'Lock' and datname = current_database() and query like '%is_pending%'`;
        return waiting.length === 1;
      });
      await tx`update payments set status = 'paid', due_at = null where id = ${id}`;
    });
    const figures = { pending: { count: 1, amount: '20000' }, today: { paid: NOTHING } };
    t.match((await answer)?.body, figures);
  },
);

t.test('hours and days are those of the time zone', async (t) => {
  const { owner } = await openMerchant();
  const hours = await readRows(owner, '?interval=hour&from=2026-08-01T10:30:00Z&to=2026-08-02');
  t.equal(hours.length, 14);
  t.equal(hours[0]?.start, '2026-08-01T10:00:00.000Z');
  const days = await readRows(owner, '?from=2026-03-28&to=2026-03-31&time_zone=Europe/Berlin');
  t.same(
    days.map(({ start }) => start),
    ['2026-03-27T23', '2026-03-28T23', '2026-03-29T22', '2026-03-30T22'].map(
      (hour) => `${hour}:00:00.000Z`,
    ),
  );
  const named = ['Asia/Kolkata', 'Asia/Calcutta', 'America/Argentina/Buenos_Aires', 'UTC'];
  for (const zone of named) t.equal((await readRows(owner, `?time_zone=${zone}`)).length, 31, zone);
  t.equal((await readRows(owner, '?interval=hour')).length, 25);
  t.equal((await readRows(owner, '?from=2025-08-01&to=2026-08-02')).length, 367);
});

t.test('an invalid period or time zone is 400 and names the parameter', async (t) => {
  const { owner } = await openMerchant();
  const ask = (query: string): Promise<ApiAnswer> => owner.call(`${STATISTICS}?${query}`);
  assertInvalid(t, await ask('time_zone=Asia/Nowhere'), 'time_zone', /name of a time zone/);
  assertInvalid(t, await ask('time_zone=%27'), 'time_zone', /name of a time zone/);
  assertInvalid(t, await ask('interval=week'), 'interval', /hour or day/);
  assertInvalid(t, await ask('from=yesterday'), 'from', /must be a time/);
  assertInvalid(t, await ask('to=2026-02-30'), 'to', /must be a time/);
  assertInvalid(t, await ask('from=2026-08-02&to=2026-08-02'), 'from', /before to/);
  assertInvalid(t, await ask('from=2025-01-01&to=2026-08-02'), 'from', /at most 366 days/);
  assertInvalid(t, await ask('interval=hour&from=2026-08-01&to=2026-08-16'), 'from', /14 days/);
  assertInvalid(t, await ask('from=0001-01-01&to=0001-01-02'), 'from', /1970/);
  t.equal((await ask('from=9999-12-01&to=9999-12-31')).status, 200);
});

t.test(
  'matters that need attention are counted, those of webhooks for roles that read them',
  async (t) => {
    const { merchantId, server, owner, openSession } = await openMerchant();
    const viewer = await openSession('viewer');
    const clean = {
      dead_letters: 0,
      failing_endpoints: 0,
      refusing_endpoints: 0,
      charged_back: 0,
      paid_late: 0,
      going_live: ['verification_missing'],
      manual_refunds: 0,
      negative_balances: [],
    };
    const head = { object: 'attention', environment: 'TEST' };
    t.strictSame((await owner.call(ATTENTION)).body, { ...head, ...clean });
    const payment_id = await create(server, { amount: BY_HAND }, 'paid');
    await server.call('/v1/refunds', { method: 'POST', body: { payment_id } });
    const endpoint = `we_${randomBytes(13).toString('hex')}`;
    await sql`
    insert into webhook_endpoints (id, merchant_id, environment, url, secret)
    values (${endpoint}, ${merchantId}, 'TEST', 'https://toko.example', '')`;
    await sql`
    insert into webhook_endpoint_failures (endpoint_id, flagged_at) values (${endpoint}, now())`;
    await sql`
    insert into webhook_deliveries (id, event_id, endpoint_id, payment_id, version, type, status, settled_at)
    select ${endpoint} || n, 'evt_' || n, ${endpoint}, 'pay_1', 1, 'payment.paid', 'dead', now()
      from generate_series(1, 3) n`;
    const [available = ''] = listBalanceAccounts(merchantId, 'TEST');
    const found = { dead_letters: 3, failing_endpoints: 1, manual_refunds: 1 };
    const shown = await waitUntil('the refund is counted', async () => {
      const { body } = await owner.call(ATTENTION);
      return body['manual_refunds'] === 1 ? body : undefined;
    });
    t.match(shown, found);
    await sql`
    insert into balance_rows (account, currency, amount) values (${available}, 'IDR', -5000)
    on conflict (account, shard) do update set amount = excluded.amount`;
    const negative = { negative_balances: [{ currency: 'IDR', available: '-5000' }] };
    t.match((await viewer.call(ATTENTION)).body, negative);
    const hidden = { dead_letters: null, failing_endpoints: null, manual_refunds: 1 };
    t.match((await viewer.call(ATTENTION)).body, hidden);
    t.match((await owner.call(`${ATTENTION}?environment=LIVE`)).body, {
      ...clean,
      environment: 'LIVE',
    });
    const other = await openMerchant();
    t.match((await other.owner.call(ATTENTION)).body, clean);
  },
);
