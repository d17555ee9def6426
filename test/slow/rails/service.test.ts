// LIVE payments through the whole service: real processes, the adapters, and rails that speak their own wire formats.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import { startRails, startRailService } from '#test/support/rails/service.js';

t.test('callbacks', async (t) => {
  const service = await startRailService(t, { RAIL_SYNC_SCHEDULE: '600', RAIL_TIMEOUT_MS: '5000' });
  const { simulated, live, sql, create, statusOf, callbackUrl } = service;
  const { control, plan } = simulated;
  await startRails(service);
  const post = async (url: string, body: string, headers = {}) =>
    (await fetch(url, { method: 'POST', body, headers })).status;
  const becomes = (id: unknown, status: string) =>
    waitUntil(`it is ${status}`, async () => (await statusOf(id)) === status);
  const callbacks = async () => {
    const rows = await sql`select status, repeats from rail_callbacks order by received_at`;
    return rows.map(({ status, repeats }) => [status, repeats] as unknown[]);
  };

  await t.test('a callback of a settlement makes the payment paid', async (t) => {
    for (const method of ['QRIS', 'VA_BCA']) {
      const { status, body } = await create(method);
      t.equal(status, 201);
      await control('POST', 'pay', { order_id: body['order_id'] });
      await becomes(body['id'], 'paid');
      const paid = await live.get(body['id']);
      t.match(paid.body, { status: 'paid', late: false, order_id: body['order_id'] });
      t.notMatch(paid.text, /midtrans|xendit/i);
    }
  });

  await t.test('a repeated callback counts once, and a forged one is not stored', async (t) => {
    const before = (await callbacks()).length;
    await plan(
      { kind: 'doubled', operation: 'callback' },
      { kind: 'forged', operation: 'callback' },
    );
    const { body } = await create('QRIS');
    await control('POST', 'pay', { order_id: body['order_id'] });
    await becomes(body['id'], 'paid');
    await waitUntil('the repeat is counted', async () => {
      return (await callbacks()).slice(before).some(([, repeats]) => repeats === 1);
    });
    t.strictSame((await callbacks()).slice(before), [['taken', 1]], 'the forged one is not stored');
    const events = await sql`
      select count(*)::int as paid from payment_events
       where payment_id = ${String(body['id'])} and type = 'payment_paid'`;
    t.equal(events[0]?.['paid'], 1);
    await plan();
  });

  await t.test('a signed callback with a false status changes nothing', async (t) => {
    // Xendit's token proves no status: everyone who has seen one callback can make others.
    const { body } = await create('VA_BCA');
    const { order_id: orderId } = body;
    const data = {
      reference_id: orderId,
      request_amount: 25_000,
      currency: 'IDR',
      status: 'SUCCEEDED',
    };
    const forged = JSON.stringify({ event: 'payment.capture', data });
    const token = { 'x-callback-token': 'x-token' };
    t.equal(await post(callbackUrl('xendit'), forged, token), 200);
    await waitUntil('it was inquired', async () => {
      const [row] = await sql`
        select number from status_inquiries
         where id = ${String(orderId)} and leased_until is null`;
      return Number(row?.['number']) > 0;
    });
    t.equal(await statusOf(body['id']), 'pending');
  });

  await t.test('another amount than requested goes to suspense and opens a task', async (t) => {
    // Found after a callback, and by the schedule after a lost one, at both rails.
    for (const [method, isLost] of [
      ['QRIS', false],
      ['VA_BCA', false],
      ['QRIS', true],
      ['VA_BCA', true],
    ] as const) {
      const { body } = await create(method);
      const { id, order_id: orderId } = body;
      if (isLost) await plan({ kind: 'lost', operation: 'callback' });
      await control('POST', 'pay', { order_id: orderId, amount: '24999' });
      await plan();
      if (isLost)
        await sql`update status_inquiries set due_at = now() where id = ${String(orderId)}`;
      await waitUntil('there is a task', async () => {
        const rows = await sql`
          select kind, details from operator_tasks where payment_id = ${String(id)}`;
        const [task] = rows;
        return (
          rows.length === 1 &&
          task?.['kind'] === 'settlement_suspended' &&
          /"amount":"24999".*"reason":"amount_differs"/.test(String(task['details']))
        );
      });
      t.equal(await statusOf(id), 'pending', `${method}: the payment waits for its own money`);
    }
    const [suspense] = await sql`
      select amount::text from balances where account like 'suspense:%:LIVE:IDR'`;
    t.equal(suspense?.['amount'], String(4 * 24_999));
    t.strictSame((await verifyLedger(sql)).faults, []);
  });

  await t.test('a callback with another amount than the inquiry opens one task', async (t) => {
    for (const method of ['QRIS', 'VA_BCA']) {
      const { body } = await create(method);
      const { id, order_id: orderId } = body;
      const paymentId = String(id);
      await plan({ kind: 'wrong_amount', operation: 'callback' });
      await control('POST', 'pay', { order_id: orderId });
      await plan();
      await becomes(id, 'paid');
      const tasks = () => sql`
        select kind, details::json ->> 'amount' as found, details::json ->> 'toldAmount' as told
          from operator_tasks where payment_id = ${paymentId}`;
      await waitUntil('there is a task', async () => (await tasks()).length > 0);
      await control('POST', `orders/${String(orderId)}/callback`, {});
      await waitUntil('it was inquired again', async () => {
        const [row] = await sql`
          select count(*)::int as told from rail_callbacks
           where subject_id = ${String(orderId)}
             and exists (select from status_inquiries w where w.id = subject_id and w.number > 1)`;
        return Number(row?.['told']) > 1;
      });
      t.same(await tasks(), [{ kind: 'callback_contradicted', found: '25000', told: '25001' }]);
    }
  });

  await t.test(
    'callbacks that are forged, too large or malformed get 401, 404, 413 or 200',
    async (t) => {
      const url = callbackUrl('xendit');
      t.equal(await post(url, '{}', { 'x-callback-token': 'wrong' }), 401);
      t.equal(await post(url, ''), 401);
      t.equal(await post(url.replace(/rails\/./, 'rails/7'), '{}'), 404);
      t.equal(await post(url, 'x'.repeat(70_000)), 413);
      t.equal(
        await post(url, 'not json', { 'x-callback-token': 'x-token' }),
        200,
        'stored and ignored',
      );
      const openapi = await (await fetch(`${service.baseUrl}/docs/openapi.json`)).text();
      t.notMatch(openapi, /v1\/rails/, 'the public API does not document it');
    },
  );

  await t.test(
    'money for an unknown order goes to platform suspense and opens a task',
    async (t) => {
      const { body } = await create('VA_BCA');
      const orderId = String(body['order_id']);
      // As if another installation had made the order at the same rail account.
      await sql`delete from status_inquiries where id = ${orderId}`;
      await plan({ kind: 'lost', operation: 'callback' });
      await control('POST', 'pay', { order_id: orderId });
      await plan();
      const data = { reference_id: orderId, request_amount: 25_000, currency: 'IDR' };
      const [attempt] = await sql`select snapshot from payments where id = ${String(body['id'])}`;
      const reference = /pr-[0-9a-f-]+/.exec(String(attempt?.['snapshot']))?.[0];
      const callback = JSON.stringify({
        event: 'payment.capture',
        data: { ...data, payment_request_id: reference },
      });
      const token = { 'x-callback-token': 'x-token' };
      t.equal(await post(callbackUrl('xendit'), callback, token), 404);
      t.equal(await post(callbackUrl('xendit'), callback, token), 404, 'the repeat too');
      await sql`update rail_callbacks set judge_at = now() where status = 'unknown_order'`;
      await waitUntil('there is a task', async () => {
        const rows = await sql`select details from operator_tasks where kind = 'unknown_order'`;
        return rows.length === 1 && String(rows[0]?.['details']).includes(orderId);
      });
      const [suspense] = await sql`
      select amount::text from balances where account = 'platform_suspense:LIVE:IDR'`;
      t.equal(suspense?.['amount'], '25000');
      const report = await verifyLedger(sql);
      t.strictSame(report.faults, []);
    },
  );

  await t.test(
    'a callback while no rails process runs is 503, and its repeat counts',
    async (t) => {
      const { body } = await create('QRIS');
      await service.rails.stop();
      const { order_id: orderId } = body;
      await plan({ kind: 'lost', operation: 'callback' });
      await control('POST', 'pay', { order_id: orderId });
      await plan();
      const answering = post(callbackUrl('xendit'), '{}', { 'x-callback-token': 'x-token' });
      t.equal(await answering, 503);
      await startRails(service);
      await control('POST', `orders/${String(orderId)}/callback`, {});
      await becomes(body['id'], 'paid');
    },
  );
});

t.test(
  'status inquiries find settlements whose callbacks were lost, also after a cancel',
  async (t) => {
    const service = await startRailService(t, { RAIL_SYNC_SCHEDULE: '1', RAIL_TIMEOUT_MS: '5000' });
    const { simulated, live, create, statusOf } = service;
    await startRails(service);
    await simulated.plan({ kind: 'lost', operation: 'callback' });
    const [paid, late] = await Promise.all([create('QRIS'), create('VA_BCA')]);
    await simulated.control('POST', 'pay', { order_id: paid.body['order_id'] });
    t.equal((await live.cancel(late.body['id'])).body['status'], 'cancelled');
    await simulated.control('POST', 'pay', { order_id: late.body['order_id'], forced: true });
    await waitUntil('both are paid', async () => {
      const statuses = [await statusOf(paid.body['id']), await statusOf(late.body['id'])];
      return statuses.every((status) => status === 'paid');
    });
    t.equal((await live.get(late.body['id'])).body['late'], true);
  },
);
