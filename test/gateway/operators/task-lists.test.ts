// Lists of operator tasks: of LIVE unless TEST is asked for. Tasks of balances below zero.
import t from 'tap';
import { makeMinor } from '#actors/core/money.js';
import { describeUnknownOrder } from '#actors/core/tasks/unknown-order.js';
import { bookUnknownOrder } from '#store/postgres/tasks/book-unknown-order.js';
import { countOpenTasks } from '#store/postgres/tasks/count-tasks.js';
import { followNegativeBalances } from '#store/postgres/tasks/follow-negative-balances.js';
import { startOperators, uniqueTransaction } from '#test/support/operators.js';
import { createTestMerchant } from '#test/support/processes.js';

const stage = await startOperators(t);
const { sql, office } = stage;
const { merchantId } = stage.service.merchant;
const other = await createTestMerchant(stage.service.databaseUrl);

t.test('tasks of TEST are listed only when they are asked for', async (t) => {
  const paymentId = await stage.makePaid();
  await stage.settle(paymentId, uniqueTransaction());
  const task = await stage.findTask(paymentId, 'settlement_suspended');
  const order = describeUnknownOrder({
    rail: 'midtrans',
    railTransactionId: uniqueTransaction(),
    orderId: 'theirs',
    amountMinor: makeMinor(700n),
    currency: 'IDR',
    settledAtMs: null,
  });
  await bookUnknownOrder(sql, order);
  const list = async (query: string) => {
    const { body } = await office.call(`/v1/admin/tasks?limit=100${query}`);
    return body['data'] as { id: string; environment: string; merchant_id: string | null }[];
  };
  for (const query of ['', '&environment=LIVE', '&status=open']) {
    const listed = await list(query);
    t.same([...new Set(listed.map(({ environment }) => environment))], ['LIVE'], query);
    t.ok(
      listed.some(({ id }) => id === order.taskId),
      'a task without a payment is about LIVE money',
    );
  }
  const ofTest = await list('&environment=TEST');
  t.same([...new Set(ofTest.map(({ environment }) => environment))], ['TEST']);
  t.match(
    ofTest.find(({ id }) => id === task.id),
    { payment_id: paymentId, merchant_id: merchantId },
  );
  t.same(await list(`&environment=TEST&merchant_id=${other.merchantId}`), []);
  const counted = (await countOpenTasks(sql)).map(({ kind, count }) => [kind, count]);
  t.same(counted, [['unknown_order', 1]], 'tasks of TEST count in no alert');
  const wrong = await office.call('/v1/admin/tasks?environment=test');
  t.same([wrong.status, wrong.code], [400, 'field_invalid']);
});

t.test('a LIVE balance below zero is one task until it is back at zero', async (t) => {
  const account = `merchant_available:${merchantId}:LIVE:IDR`;
  const move = async (debit: string, credit: string, amount: number): Promise<void> => {
    await sql`select post('payment', ${uniqueTransaction()}, 1, ${debit}, ${credit}, ${amount}, 'IDR', 'test')`;
    await Promise.all([1, 2, 3].map(() => followNegativeBalances(sql)));
  };
  const lower = (amount: number) => move(account, 'rail_clearing:midtrans:LIVE:IDR', amount);
  const raise = (amount: number) => move('rail_clearing:midtrans:LIVE:IDR', account, amount);
  const list = async (status = 'open') => {
    const path = `/v1/admin/tasks?kind=balance_negative&status=${status}`;
    return (await office.call(path)).body['data'] as { id: string; details: object }[];
  };
  const acknowledge = async (): Promise<void> => {
    const [task] = await list();
    const body = { action: 'acknowledge', note: 'Toko akan mentransfer' };
    const path = `/v1/admin/tasks/${String(task?.id)}/resolve`;
    t.equal((await office.call(path, { method: 'POST', body })).status, 200);
    await followNegativeBalances(sql);
  };

  await raise(5_000);
  t.same(await list(), [], 'above zero');
  await lower(12_000);
  await lower(1_000);
  const details = { account, balance: '-7000', currency: 'IDR' };
  t.match(await list(), [{ merchant_id: merchantId, environment: 'LIVE', details }]);
  t.equal((await list()).length, 1, 'one task, however far it falls');
  await raise(8_000);
  t.same(await list(), [], 'it ends by itself');
  t.match(await list('resolved'), [{ action: null, note: /not below zero/ }]);

  await lower(3_000);
  t.match(await list(), [{ details: { balance: '-3000' } }], 'below zero again');
  await acknowledge();
  await raise(1_000);
  t.same(await list(), [], 'an acknowledged balance that rises is known');
  await lower(2_000);
  t.match(await list(), [{ details: { balance: '-4000' } }], 'it has fallen further');
  await acknowledge();
  await sql`update operator_tasks set resolved_at = resolved_at - interval '8 days'`;
  await followNegativeBalances(sql);
  t.equal((await list()).length, 1, 'after a week it is a task again');
  await move(`merchant_available:${merchantId}:TEST:IDR`, 'rail_clearing:sandbox:TEST:IDR', 9_000);
  t.equal((await list()).length, 1, 'TEST opens none');
  const ofTest = await office.call('/v1/admin/tasks?kind=balance_negative&environment=TEST');
  t.same(ofTest.body['data'], []);
});
