// Callbacks about orders that do not exist here: how the rail's answers end them.
import t from 'tap';
import type { InquiryAnswer, Rail } from '#actors/rails/adapters/rail.js';
import { startUnknownOrders } from '#actors/rails/callbacks/unknown-orders.js';
import { createLog } from '#ops/runtime/log.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { storeCallback } from '#store/postgres/rails/callbacks.js';
import { createDatabase } from '#test/support/servers.js';

const MAX_INQUIRIES = 120;

const sql = openPostgres(await createDatabase(t), 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));
const log = createLog({ logLevel: 'silent' }, 'test');

/** Inquires an order for the last time; returns the callback's status and the tasks about the order. */
async function end(orderId: string, answer: InquiryAnswer) {
  await storeCallback(
    sql,
    {
      ...{
        rail: 'xendit',
        dedupeKey: orderId,
        reports: 'settled',
        amount: '25000',
        currency: 'IDR',
      },
      subject: { kind: 'order', id: orderId, reference: 'pr-1' },
      body: Buffer.from('{}'),
    },
    0,
  );
  await sql`update rail_callbacks set judged = ${MAX_INQUIRIES} where subject_id = ${orderId}`;
  const rail = { name: 'xendit', inquirePayment: () => Promise.resolve(answer) } as unknown as Rail;
  const loop = startUnknownOrders({ sql, rails: new Map([['xendit', rail]]), log });
  const status = await waitUntil('it is decided', async () => {
    const [row] = await sql`
      select status from rail_callbacks where subject_id = ${orderId} and judge_at is null`;
    return row?.['status'] as string;
  });
  await loop.stop();
  const tasks = await sql`
    select kind, payment_id, details::json as details from operator_tasks
     where details::json ->> 'orderId' = ${orderId}`;
  return { status, tasks: [...tasks] };
}

t.test('an order that its rail never answered for is dismissed with a task', async (t) => {
  t.same(await end('silent', { result: 'unknown' }), {
    status: 'dismissed',
    tasks: [
      {
        kind: 'unknown_order_unresolved',
        payment_id: null,
        details: {
          ...{ rail: 'xendit', orderId: 'silent', railReference: 'pr-1' },
          ...{ toldAmount: '25000', toldCurrency: 'IDR' },
        },
      },
    ],
  });
});

t.test('an order without money by its rail is dismissed without a task', async (t) => {
  const dismissed = { status: 'dismissed', tasks: [] };
  t.same(await end('absent', { result: 'unknown', isAbsent: true }), dismissed);
  t.same(await end('closed', { result: 'closed' }), dismissed);
  t.same(await end('open', { result: 'open', charge: { result: 'unknown' } }), dismissed);
});
