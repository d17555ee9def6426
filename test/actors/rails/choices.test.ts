// Changes during a LIVE payment, through the whole service: the customer changes the method, the bank reverses a payment,
// an operator switches a rail off.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { getPage, postForm } from '#test/support/collecting/stage.js';
import { uniqueWord } from '#test/support/processes.js';
import { startRails, startRailService } from '#test/support/rails/service.js';

interface ListedOrder {
  readonly rail: string;
  readonly orderId: string;
  readonly status: string;
  readonly payBy: string;
}

const service = await startRailService(t, {
  RAIL_ROUTES: 'QRIS=midtrans,xendit;VA_BCA=xendit;VA_PERMATA=midtrans',
  RAIL_SYNC_SCHEDULE: '1',
  RAIL_TIMEOUT_MS: '5000',
});
const { simulated, live, sql, create, statusOf, baseUrl } = service;
const { control, plan } = simulated;
await startRails(service);

const orderAt = async (orderId: unknown) =>
  (await control('GET', `orders/${String(orderId)}`)) as ListedOrder;
const becomes = (id: unknown, status: string) =>
  waitUntil(`it is ${status}`, async () => (await statusOf(id)) === status);

/** Creates a payment without a method; returns its page and the orders that rails hold for it. */
async function openChoice() {
  const { status, body } = await live.create({ amount: '25000' }, uniqueWord());
  if (status !== 201) throw new Error(JSON.stringify(body));
  const id = String(body['id']);
  const page = `${baseUrl}/checkout/${id}`;
  const orders = async (): Promise<ListedOrder[]> => {
    const rows = await sql<{ orderId: string }[]>`
      select distinct event::json ->> 'orderId' as "orderId" from payment_events
       where payment_id = ${id} and type = 'attempt_started'`;
    const { data } = (await control('GET', 'orders')) as { data: ListedOrder[] };
    return data.filter(({ orderId }) => rows.some((row) => row.orderId === orderId));
  };
  return { id, page, orders };
}

const choose = (page: string, method: string) =>
  postForm(`${page}/method`, { payment_method: method });

t.test('a customer who changes the method gets one open order, and pays it', async (t) => {
  const { id, page, orders } = await openChoice();
  const before = await getPage(page);
  for (const method of ['QRIS', 'VA_BCA', 'VA_PERMATA']) t.match(before.text, method);
  t.strictSame(await orders(), [], 'no rail is called before the choice');

  const twice = await Promise.all([choose(page, 'VA_BCA'), choose(page, 'VA_BCA')]);
  t.strictSame([...new Set(twice.map(({ status }) => status))], [303], 'from two tabs');
  const [first, ...more] = await orders();
  t.strictSame([first?.rail, more], ['xendit', []], 'one order');
  const shown = (await getPage(page)).text.replaceAll(/[\s\u00a0]/g, '');
  t.match(shown, first?.payBy, 'the page shows what to pay to');

  t.equal((await choose(page, 'QRIS')).status, 303, 'another one');
  const both = await orders();
  t.strictSame(
    both.map(({ rail, status }) => [rail, status]),
    [
      ['xendit', 'cancelled'],
      ['midtrans', 'pending'],
    ],
    'after the first was closed',
  );
  await control('POST', 'pay', { order_id: both[1]?.orderId });
  await becomes(id, 'paid');
  const { body } = await live.get(id);
  t.match(body, { payment_method: 'QRIS', order_id: both[1]?.orderId, late: false });
  const balance = (await live.call('/v1/balance')).body['data'];
  t.match(balance, [{ available: '0', pending: '25000' }], 'held until the rail has settled it');
});

t.test('a method that every rail refuses leaves the other methods on offer', async (t) => {
  const { id, page, orders } = await openChoice();
  await plan({ kind: 'refuse', operation: 'charge' });
  await choose(page, 'VA_PERMATA');
  await plan();
  t.equal(await statusOf(id), 'pending');
  t.strictSame(await orders(), [], 'no order was taken');
  t.match((await getPage(page)).text, 'VA_BCA');
  t.equal((await choose(page, 'VA_BCA')).status, 303);
  t.strictSame(
    (await orders()).map(({ rail }) => rail),
    ['xendit'],
  );
});

t.test(
  'a payment by the old method during the change is paid, and the new one is not charged',
  async (t) => {
    const { id, page, orders } = await openChoice();
    await choose(page, 'VA_PERMATA');
    const [first] = await orders();
    await plan({ kind: 'lost', operation: 'callback' });
    await control('POST', 'pay', { order_id: first?.orderId });
    await plan();
    await choose(page, 'VA_BCA');
    await becomes(id, 'paid');
    t.equal(
      (await live.get(id)).body['order_id'],
      first?.orderId,
      'the settlement beats the choice',
    );
    t.equal((await orders()).length, 1, 'nothing else is charged');
  },
);

t.test('a payment that the bank reverses fails, with or without a callback', async (t) => {
  for (const hasCallback of [true, false]) {
    const { body } = await create('VA_PERMATA');
    await control('POST', 'pay', { order_id: body['order_id'] });
    await becomes(body['id'], 'paid');
    if (!hasCallback) await plan({ kind: 'lost', operation: 'callback' });
    await control('POST', `orders/${String(body['order_id'])}/reverse`);
    await waitUntil('it is reversed', async () => {
      // Inquiries are further apart than a test can wait.
      await sql`update status_inquiries set due_at = now() where id = ${String(body['order_id'])}`;
      return (await statusOf(body['id'])) === 'failed';
    });
    await plan();
    t.match((await live.get(body['id'])).body, { failure_code: 'reversed', paid_at: String });
    const events = await sql<{ type: string }[]>`
      select envelope::json ->> 'type' as type from payment_events
       where payment_id = ${String(body['id'])} and envelope is not null order by version`;
    t.strictSame(
      events.map(({ type }) => type),
      ['payment.paid', 'payment.failed'],
    );
  }
});

t.test(
  'a rail that is switched off gets no charge, and its methods move to the next rail',
  async (t) => {
    const admin = openApi(baseUrl, await beginSession(sql, await makePerson(sql, 'admin', null)));
    const turn = async (isOn: boolean) => {
      const body = { name: 'rail:midtrans', enabled: isOn };
      const { status, text } = await admin.call('/v1/admin/switches', { method: 'PUT', body });
      t.equal(status, 200, text);
    };
    const railOf = async (method: string) => {
      const { body, code } = await create(method);
      return code ?? (await orderAt(body['order_id'])).rail;
    };
    t.equal(await railOf('QRIS'), 'midtrans');
    await turn(false);
    await waitUntil('it is not called', async () => (await railOf('QRIS')) === 'xendit');
    await waitUntil('gateways stop offering it', async () => {
      const said = await railOf('VA_PERMATA');
      t.match(said, /^payment_(processing_failed|method_unavailable)$/, 'it accepts no charge');
      return said === 'payment_method_unavailable';
    });
    t.strictSame(
      await Promise.all(['QRIS', 'QRIS', 'VA_BCA', 'VA_PERMATA'].map(railOf)),
      ['xendit', 'xendit', 'xendit', 'payment_method_unavailable'],
      'methods with a second rail use it',
    );
    t.notOk((await service.methods()).includes('VA_PERMATA'), 'the method is not offered');
    await turn(true);
    await waitUntil('it is called', async () => (await railOf('QRIS')) === 'midtrans');
    t.equal(await railOf('VA_PERMATA'), 'midtrans');
  },
);

t.test('the ledger verifies after all changes', async (t) => {
  t.strictSame((await verifyLedger(sql)).faults, []);
});
