// Orders that a rail opens with a QR code whose checksum is wrong: nobody can be shown how to pay them, and somebody could pay
// them all the same. They are closed at the rail before their attempt fails.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { getPage, postForm } from '#test/support/collecting/stage.js';
import { uniqueWord } from '#test/support/processes.js';
import { startRails, startRailService } from '#test/support/rails/service.js';

interface Order {
  readonly rail: string;
  readonly orderId: string;
  readonly status: string;
}

const service = await startRailService(t, {
  RAIL_ROUTES: 'QRIS=midtrans,xendit;VA_BCA=xendit;VA_PERMATA=midtrans',
  RAIL_SYNC_SCHEDULE: '1',
  RAIL_TIMEOUT_MS: '3000',
});
const { simulated, live, sql, create, statusOf, baseUrl } = service;
const { control, plan } = simulated;
await startRails(service);

const SPOILED = { kind: 'spoiled_qr', operation: 'charge' } as const;

async function findOrder(): Promise<Order> {
  const { data } = (await control('GET', 'orders')) as { data: Order[] };
  const latest = data.at(-1);
  if (latest === undefined) throw new Error('no rail has an order');
  return latest;
}

const orderBecomes = (orderId: string, status: string) =>
  waitUntil(`the order is ${status}`, async () => {
    return ((await control('GET', `orders/${orderId}`)) as Order).status === status;
  });
const becomes = (id: unknown, status: string) =>
  waitUntil(`it is ${status}`, async () => (await statusOf(id)) === status);

async function findPayment(orderId: string): Promise<string> {
  const [row] = await sql`select payment_id from status_inquiries where id = ${orderId}`;
  return String(row?.['payment_id']);
}

const listTasks = async (paymentId: string): Promise<unknown[]> => {
  const rows = await sql`
    select kind, details::json ->> 'orderId' as "orderId" from operator_tasks
     where payment_id = ${paymentId} order by kind`;
  return rows.map(({ kind, orderId }): unknown[] => [kind, orderId]);
};

const admin = await makePerson(sql, 'admin', null);
const office = openApi(baseUrl, await beginSession(sql, admin));
const [merchant] = await sql`select id from merchants where live_enabled`;

async function routeQris(rail: string): Promise<void> {
  const route = { payment_method: 'QRIS', rails: [rail] };
  const path = `/v1/admin/merchants/${String(merchant?.['id'])}/rails`;
  const { status, text } = await office.call(path, { method: 'PUT', body: route });
  if (status !== 200) throw new Error(text);
}

for (const rail of ['midtrans', 'xendit']) {
  t.test(`${rail}: a create gets 502 when the order is closed at the rail`, async (t) => {
    await routeQris(rail);
    await plan(SPOILED);
    const { status, body, text } = await create('QRIS');
    await plan();
    t.equal(status, 502, text);
    t.match(body, { error: { code: 'payment_processing_failed' } });
    const { orderId, ...order } = await findOrder();
    t.match(order, { rail, status: 'cancelled' });
    const id = await findPayment(orderId);
    t.match((await live.get(id)).body, { status: 'failed', failure_code: 'processing_failed' });
    t.same(await listTasks(id), [['instructions_unusable', orderId]]);
    const told = service.rails.logs().filter((line) => line['orderId'] === orderId);
    t.match(told, [{ level: 'error', msg: /the order is closed at the rail/ }]);
    t.equal((await create('QRIS')).status, 201, 'the next order is offered');
  });

  t.test(`${rail}: a customer may choose another method afterwards`, async (t) => {
    await routeQris(rail);
    const { body } = await live.create({ amount: '25000' }, uniqueWord());
    const page = `${baseUrl}/checkout/${String(body['id'])}`;
    await plan(SPOILED);
    const refused = await postForm(`${page}/method`, { payment_method: 'QRIS' });
    await plan();
    t.equal(refused.status, 400);
    t.match(refused.text, /Please choose another/);
    t.match(await findOrder(), { rail, status: 'cancelled' });
    t.equal((await postForm(`${page}/method`, { payment_method: 'VA_BCA' })).status, 303);
    const { orderId } = await findOrder();
    t.match((await getPage(page)).text, /VA|BCA/);
    await control('POST', 'pay', { order_id: orderId });
    await becomes(body['id'], 'paid');
  });

  t.test(`${rail}: closes are repeated until the rail confirms one`, async (t) => {
    await routeQris(rail);
    await plan(SPOILED, { kind: 'server_error', took: false, operation: 'close', times: 2 });
    const { status } = await create('QRIS');
    t.ok([502, 504].includes(status), String(status));
    const { orderId } = await findOrder();
    await orderBecomes(orderId, 'cancelled');
    await plan();
    const id = await findPayment(orderId);
    await becomes(id, 'failed');
    t.same(await listTasks(id), [['instructions_unusable', orderId]], 'one task');
  });

  t.test(`${rail}: money of a customer who pays before the close is booked`, async (t) => {
    await routeQris(rail);
    await plan(SPOILED, { kind: 'server_error', took: false, operation: 'close' });
    const creating = create('QRIS');
    const orderId = await waitUntil('a close was tried', async () => {
      const [row] = await sql`
        select id from status_inquiries where closes > 0 and payment_id in (
          select id from payments where status in ('creating', 'pending')) and rail = ${rail}`;
      return row?.['id'] as string | undefined;
    });
    await control('POST', 'pay', { order_id: orderId });
    await plan();
    const { status } = await creating;
    t.ok([201, 504].includes(status), String(status));
    await becomes(await findPayment(orderId), 'paid');
    t.strictSame((await verifyLedger(sql)).faults, []);
  });
}

t.test('a process that dies between the charge and the close forgets no order', async (t) => {
  await routeQris('midtrans');
  // The rail has the order, and the process never hears of it.
  await plan(SPOILED, { kind: 'no_answer', operation: 'charge' });
  const first = create('QRIS');
  const unheard = await waitUntil('the rail has the order', async () => {
    const { orderId, status } = await findOrder();
    return status === 'pending' ? orderId : undefined;
  });
  await service.rails.kill();
  await plan(SPOILED, { kind: 'server_error', took: false, operation: 'close' });
  await startRails(service);
  await waitUntil('a close was tried', async () => {
    return (
      (await sql`select from status_inquiries where id = ${unheard} and closes > 0`).length === 1
    );
  });
  // The close is stored and not confirmed.
  await service.rails.kill();
  await plan();
  await startRails(service);
  await orderBecomes(unheard, 'cancelled');
  const id = await findPayment(unheard);
  await becomes(id, 'failed');
  t.same(await listTasks(id), [['instructions_unusable', unheard]]);
  const { status } = await first;
  t.ok([502, 504].includes(status), String(status));
  const { orderId } = await findOrder();
  t.equal(orderId, unheard, 'no second order was made');
});
