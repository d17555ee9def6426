// A merchant that has paid out money which a bank then takes back: its balance is below zero, and operators get a task.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { startRails, startRailService } from '#test/support/rails/service.js';

t.test('a reversal after a payout opens a task for the negative balance', async (t) => {
  const service = await startRailService(t, {
    RAIL_ROUTES: 'QRIS=midtrans;VA_BNI=midtrans',
    RAIL_TIMEOUT_MS: '5000',
  });
  const { simulated, sql, create, statusOf, live, baseUrl } = service;
  await startRails(service);
  const { body } = await create('VA_BNI');
  await simulated.control('POST', 'pay', { order_id: body['order_id'] });
  const becomes = (status: string) =>
    waitUntil(`it is ${status}`, async () => (await statusOf(body['id'])) === status);
  await becomes('paid');
  const available = async () => ((await live.call('/v1/balance')).body['data'] as object[])[0];
  t.match(await available(), { available: '25000' });

  const [merchant] = await sql<{ id: string }[]>`select id from merchants where live_enabled`;
  const account = `merchant_available:${String(merchant?.id)}:LIVE:IDR`;
  const bank = 'rail_clearing:manual:LIVE:IDR';
  await sql`select post('payout', 'po_x', 1, ${account}, ${bank}, 20000, 'IDR', 'payout_completed')`;
  await simulated.control('POST', `orders/${String(body['order_id'])}/reverse`);
  await becomes('failed');
  t.match(await available(), { available: '-20000' });

  const office = openApi(baseUrl, await beginSession(sql, await makePerson(sql, 'admin', null)));
  await waitUntil('there is a task', async () => {
    const listed = await office.call('/v1/admin/tasks?status=open&kind=balance_negative');
    const tasks = listed.body['data'] as { merchant_id: string; details: object }[];
    if (tasks.length === 0) return false;
    const details = { account, balance: '-20000', currency: 'IDR' };
    return t.match(tasks, [{ merchant_id: merchant?.id, actions: ['acknowledge'], details }]);
  });
});
