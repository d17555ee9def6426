// Callbacks whose status inquiry fails or is answered with an outdated status, through the whole service.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { startRails, startRailService } from '#test/support/rails/service.js';

// The schedule alone would inquire after ten minutes.
const service = await startRailService(t, {
  RAIL_ROUTES: 'QRIS=midtrans;VA_BCA=xendit;VA_PERMATA=midtrans',
  RAIL_SYNC_SCHEDULE: '600',
  RAIL_TIMEOUT_MS: '5000',
});
const { simulated, sql, create, statusOf } = service;
const { control, plan } = simulated;
await startRails(service);

const becomes = (id: unknown, status: string) =>
  waitUntil(`it is ${status}`, async () => (await statusOf(id)) === status);

/** An order whose next inquiry is hours away, and whose inquiries end within the hour. */
async function createOldOrder(method: string) {
  const { body } = await create(method);
  const orderId = String(body['order_id']);
  await sql`
    update status_inquiries
       set step = 9, due_at = now() + interval '5 hours', inquire_until = now() + interval '1 minute'
     where id = ${orderId}`;
  return { id: body['id'], orderId };
}

for (const method of ['QRIS', 'VA_BCA']) {
  t.test(
    `${method}: a callback whose inquiry gets a 500 is inquired again before its schedule`,
    async () => {
      const { id, orderId } = await createOldOrder(method);
      await plan({ kind: 'server_error', operation: 'status', subject: orderId, times: 1 });
      await control('POST', 'pay', { order_id: orderId });
      await becomes(id, 'paid');
      await plan();
    },
  );

  t.test(
    `${method}: a callback that is ahead of its status is inquired again before its schedule`,
    async () => {
      const { id, orderId } = await createOldOrder(method);
      await plan({ kind: 'lag', operation: 'status', subject: orderId, times: 1 });
      await control('POST', 'pay', { order_id: orderId });
      await becomes(id, 'paid');
      await plan();
    },
  );
}

t.test('a repeated callback is inquired again before its schedule', async () => {
  const { id, orderId } = await createOldOrder('VA_BCA');
  await plan({ kind: 'server_error', operation: 'status', subject: orderId });
  await control('POST', 'pay', { order_id: orderId });
  await waitUntil('its inquiry has failed', async () => {
    const rows = await sql`
      update status_inquiries set due_at = now() + interval '5 hours'
       where id = ${orderId} and number > 0 and leased_until is null returning 1`;
    return rows.length === 1;
  });
  await plan();
  await control('POST', `orders/${orderId}/callback`, {});
  await becomes(id, 'paid');
});

t.test('a reversal whose inquiry fails twice is found before its schedule', async () => {
  const { id, orderId } = await createOldOrder('VA_PERMATA');
  await control('POST', 'pay', { order_id: orderId });
  await becomes(id, 'paid');
  await plan({ kind: 'server_error', operation: 'status', subject: orderId, times: 2 });
  await control('POST', `orders/${orderId}/reverse`);
  await becomes(id, 'failed');
});
