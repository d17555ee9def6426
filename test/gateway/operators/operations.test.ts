// Administrators read suspense, reconciliations and rails, and single tasks, refunds and payouts by their ids.
import t from 'tap';
import { beginSession, makeMerchant, makePerson, startGateways } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';

const { sql, baseUrl } = await startGateways(t, 1);
const merchantId = await makeMerchant(sql);
const admin = await makePerson(sql, 'admin', null);
const office = openApi(baseUrl, await beginSession(sql, admin));

async function read(path: string): Promise<Record<string, unknown>[]> {
  const answer = await office.call(`/v1/admin/${path}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body['data'] as Record<string, unknown>[];
}

t.test('suspense lists the accounts that hold LIVE money, with their open tasks', async (t) => {
  t.same(await read('suspense'), []);
  const accounts = [
    [`suspense:${merchantId}:LIVE:IDR`, '15000'],
    [`suspense:${merchantId}:TEST:IDR`, '99000'],
    ['platform_suspense:LIVE:IDR', '-20000'],
  ] as const;
  for (const [account, amount] of accounts) {
    await sql`insert into balance_rows (account, currency, amount)
              values (${account}, 'IDR', ${amount}::text::bigint)`;
  }
  const details = JSON.stringify({ rail: 'xendit', amount: '15000', currency: 'IDR' });
  await sql`insert into operator_tasks (id, kind, merchant_id, environment, details, opened_at)
            values (${`task_${'a'.repeat(26)}`}, 'unknown_order', null, 'LIVE', ${details}, now())`;
  t.same(await read('suspense'), [
    {
      ...{ object: 'suspense_account', merchant_id: null },
      ...{ currency: 'IDR', amount: '-20000', open_tasks: 1 },
    },
    {
      ...{ object: 'suspense_account', merchant_id: merchantId },
      ...{ currency: 'IDR', amount: '15000', open_tasks: 0 },
    },
  ]);
  const one = await office.call(`/v1/admin/tasks/task_${'a'.repeat(26)}`);
  t.match(one.body, { kind: 'unknown_order', actions: ['return', 'assign'] });
  const none = await office.call(`/v1/admin/tasks/task_${'b'.repeat(26)}`);
  t.match([none.status, none.code], [404, 'task_not_found']);
});

t.test('reconciliations are listed by day and page, with their differences', async (t) => {
  for (const day of ['2026-08-01', '2026-08-02']) {
    for (const rail of ['midtrans', 'xendit']) {
      await sql`insert into rail_reconciliations (rail, day, matched, ended_at)
                values (${rail}, ${day}::text::date, 7, now() + interval '1 second')`;
    }
  }
  await sql`update rail_reconciliations set asked_at = now() + interval '1 hour'
             where rail = 'midtrans' and day = '2026-08-01'`;
  for (const order of ['one', 'two', 'three']) {
    await sql`insert into rail_differences (rail, day, order_id, kind, field, ours, theirs)
              values ('xendit', '2026-08-02', ${order}, 'differing', 'status', 'paid', 'pending')`;
  }
  const seen: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const from = cursor === '' ? '' : `&cursor=${cursor}`;
    const page = await office.call(`/v1/admin/reconciliations?limit=1${from}`);
    t.equal(page.status, 200, page.text);
    seen.push(...(page.body['data'] as unknown[]));
    cursor = page.body['next_cursor'] as string | null;
  }
  t.match(seen, [
    { rail: 'xendit', day: '2026-08-02', status: 'ended', matched: 7, differing: 3, orphan: 0 },
    { rail: 'midtrans', day: '2026-08-02', status: 'ended', differing: 0 },
    { rail: 'xendit', day: '2026-08-01', status: 'ended' },
    { rail: 'midtrans', day: '2026-08-01', status: 'running', ended_at: null },
  ]);
  t.equal((await read('reconciliations?rail=xendit')).length, 2);

  const path = 'reconciliation-differences?rail=xendit&day=2026-08-02';
  const first = await office.call(`/v1/admin/${path}&limit=2`);
  t.match(first.body, { data: [{ order_id: 'one' }, { order_id: 'three' }], next_cursor: '2' });
  t.match(await read(`${path}&limit=2&cursor=2`), [
    { order_id: 'two', kind: 'differing', field: 'status', ours: 'paid', theirs: 'pending' },
  ]);
  const wrong = await office.call(
    '/v1/admin/reconciliation-differences?rail=xendit&day=2026-02-31',
  );
  t.match([wrong.status, wrong.code], [400, 'field_invalid']);
});

t.test('a rail is available, paused, or silent when no process offers it', async (t) => {
  const offer = async (rail: string, seen: string, rests: string | null): Promise<void> => {
    await sql`
      insert into rail_offers (rail, method, rank, min_amount, max_amount, max_expires_in,
                               is_refundable, rests_until, seen_at)
      values (${rail}, 'QRIS', 1, 1500, 10000000, 86400, true,
              now() + ${rests}::text::interval, now() + ${seen}::text::interval)`;
  };
  await offer('midtrans', '-1 hour', null);
  await offer('simulator', '0 s', '1 hour');
  await offer('xendit', '0 s', '-1 hour');
  await sql`insert into rail_calls (id, payment_id, merchant_id, rail, operation, state, request,
                                    due_at, unknown_at)
            values ('call', 'pay', ${merchantId}, 'xendit', 'charge', 'sent', '{}', now(), now())`;
  const rails = await read('rails');
  t.match(rails, [
    { rail: 'midtrans', status: 'silent', paused_until: null, unknown_outcomes: 0 },
    { rail: 'simulator', status: 'paused', paused_until: /^2/ },
    { rail: 'xendit', status: 'available', paused_until: null, unknown_outcomes: 1 },
  ]);
  t.match(rails[2]?.['payment_methods'], [
    { payment_method: 'QRIS', min_amount: '1500', max_amount: '10000000', refundable: true },
  ]);
});

t.test('a refund and a payout that do not exist are not found', async (t) => {
  const refund = await office.call(`/v1/admin/refunds/ref_${'0'.repeat(26)}`);
  t.match([refund.status, refund.code], [404, 'refund_not_found']);
  const payout = await office.call(`/v1/admin/payouts/po_${'0'.repeat(26)}`);
  t.match([payout.status, payout.code], [404, 'payout_not_found']);
});
