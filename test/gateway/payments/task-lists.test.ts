// Lists of operator tasks: of LIVE unless TEST is asked for.
import t from 'tap';
import { makeMinor } from '#actors/core/money.js';
import { describeUnknownOrder } from '#actors/core/tasks/unknown-order.js';
import { bookUnknownOrder } from '#store/postgres/tasks/book-unknown-order.js';
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
  const wrong = await office.call('/v1/admin/tasks?environment=test');
  t.same([wrong.status, wrong.code], [400, 'field_invalid']);
});
