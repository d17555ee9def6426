// The LIVE gate between a payment and its rail: kill switches, suspension and `liveEnabled` stop the choice of a method on
// the hosted page, and the calls that the gateway has accepted and the rails process has not made yet. Closes pass.
import { request } from 'undici';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { uniqueWord } from '#test/support/processes.js';
import { startRails, startRailService } from '#test/support/rails/service.js';

const BODY = { amount: '25000' };
const QRIS = { ...BODY, payment_method: 'QRIS' };

const service = await startRailService(t, {
  RAIL_ROUTES: 'QRIS=midtrans;VA_BCA=xendit',
  RAIL_TIMEOUT_MS: '5000',
});
const { live, sql, baseUrl, ordersOf, statusOf, rails } = service;
await startRails(service);
const [merchant] = await sql<{ id: string }[]>`select id from merchants where live_enabled`;
const merchantId = String(merchant?.id);

const turn = (name: string, isOn: boolean) => sql`
  insert into switches (name, is_on) values (${name}, ${isOn})
  on conflict (name) do update set is_on = excluded.is_on`;
const setMerchant = (status: string, isEnabled: boolean) => sql`
  update merchants set verification_status = ${status}, live_enabled = ${isEnabled}`;
const end = async (): Promise<void> => {
  await setMerchant('APPROVED', true);
  await sql`delete from switches`;
};

/** `code`: the answer of the gateway. */
const BLOCKS = [
  ['live_creates is off', 'dependency_unavailable', () => turn('live_creates', false)],
  ['the method is off', 'payment_method_unavailable', () => turn('method:QRIS', false)],
  ['its rail is off', 'payment_method_unavailable', () => turn('rail:midtrans', false)],
  ['the merchant is off', 'live_not_enabled', () => turn(`merchant:${merchantId}`, false)],
  ['the merchant is suspended', 'live_not_enabled', () => setMerchant('SUSPENDED', false)],
  ['LIVE is not enabled', 'live_not_enabled', () => setMerchant('APPROVED', false)],
] as const;

const open = async (body: object = BODY): Promise<string> => {
  const { status, body: payment, text } = await live.create(body, uniqueWord());
  if (status !== 201) throw new Error(text);
  return String(payment['id']);
};

const choose = async (id: string, method = 'QRIS') => {
  const answer = await request(`${baseUrl}/checkout/${id}/method`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ payment_method: method }),
  });
  const body = (await answer.body.json()) as { error?: { code: string } };
  return { status: answer.statusCode, code: body.error?.code ?? null };
};

const countOrders = async (id: string): Promise<number> => {
  const rows = await sql<{ orderId: string }[]>`
    select request::json ->> 'orderId' as "orderId" from rail_calls
     where payment_id = ${id} and operation = 'charge'`;
  const counts = await Promise.all(rows.map(({ orderId }) => ordersOf(orderId)));
  return counts.reduce((sum, count) => sum + count, 0);
};

const isLiveBack = async (): Promise<boolean> => {
  const { status, body } = await live.create(BODY, uniqueWord());
  return status === 201 && (await choose(String(body['id']))).status === 200;
};

t.test(
  'a blocked choice of a method on the hosted page is refused and calls no rail',
  async (t) => {
    for (const [what, code, begin] of BLOCKS) {
      const chosen = await open();
      t.equal((await choose(chosen)).status, 200);
      const id = await open();
      await begin();
      await waitUntil(what, async () => {
        const { body } = await live.create(QRIS, uniqueWord());
        return (body['error'] as { code: string } | undefined)?.code === code;
      });
      t.equal((await choose(id)).code, code, what);
      t.equal(await countOrders(id), 0, `${what}: no rail is called`);
      t.equal((await choose(chosen)).status, 200, `${what}: a repeated choice returns its payment`);
      await end();
      await waitUntil('the block ends', isLiveBack);
      t.equal((await choose(id)).status, 200, `${what}: afterwards the customer can choose`);
    }
  },
);

t.test('VA that is off stops the banks of a payment that requested VA', async (t) => {
  const id = await open({ ...BODY, payment_method: 'VA' });
  const free = await open();
  await turn('method:VA', false);
  await waitUntil('VA is off', async () => {
    const { code } = await live.create({ ...BODY, payment_method: 'VA' }, uniqueWord());
    return code === 'payment_method_unavailable';
  });
  t.equal((await choose(id, 'VA_BCA')).code, 'payment_method_unavailable');
  t.equal((await choose(free, 'VA_BCA')).status, 200, 'the bank itself is on');
  await end();
  await waitUntil('the block ends', isLiveBack);
});

const waitForCalls = (id: string, operation: string) =>
  waitUntil('the call is due', async () => {
    const rows = await sql`
      select from rail_calls where payment_id = ${id} and operation = ${operation}
         and state = 'due'`;
    return rows.length > 0;
  });

t.test('a charge that is blocked before its rail is called is not made', async (t) => {
  for (const [what, , begin] of BLOCKS) {
    const id = await open();
    await rails.stop();
    const choice = choose(id);
    await waitForCalls(id, 'charge');
    await begin();
    await rails.start();
    // A choice that waits for long is answered 200 with the page that waits.
    const { code } = await choice;
    t.ok(code === 'payment_processing_failed' || code === null, what);
    await waitUntil('the charge is refused', async () => {
      const rows = await sql`
        select from payment_events where payment_id = ${id} and type = 'attempt_refused'`;
      return rows.length > 0;
    });
    t.equal(await countOrders(id), 0, `${what}: no rail was called`);
    await end();
    await waitUntil('the block ends', isLiveBack);
    t.equal(await statusOf(id), 'pending', `${what}: the payment still takes another choice`);
    t.equal((await choose(id)).status, 200, what);
  }
});

t.test('a suspension stops no close', async (t) => {
  const id = await open(QRIS);
  await rails.stop();
  const cancelling = live.call(`/v1/payments/${id}/cancel`, { method: 'POST' });
  await waitForCalls(id, 'close');
  await setMerchant('SUSPENDED', false);
  await rails.start();
  t.match((await cancelling).body, { status: 'cancelled' });
  await end();
});
