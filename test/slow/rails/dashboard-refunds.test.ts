// Refunds of the dashboard of a rail whose callbacks name no order of ours: the rail's own ids lead to the order.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { startRails, startRailService } from '#test/support/rails/service.js';

const service = await startRailService(t, {
  RAIL_SYNC_SCHEDULE: '3600',
  RAIL_ROUTES: 'QRIS=xendit;VA_BCA=xendit',
});
const { sql, simulated, create, statusOf, callbackUrl } = service;
const { control, plan } = simulated;
await startRails(service);

interface Refund {
  readonly id: string;
}

/** A paid order, whose callback is lost if the test says so. */
async function pay({ isLost = false } = {}) {
  const { body } = await create('QRIS');
  const orderId = String(body['order_id']);
  if (isLost) await plan({ kind: 'lost', operation: 'callback' });
  await control('POST', 'pay', { order_id: orderId });
  await plan();
  if (isLost) await sql`update status_inquiries set due_at = now() where id = ${orderId}`;
  await waitUntil('it is paid', async () => (await statusOf(body['id'])) === 'paid');
  // The inquiries after a settlement are an hour away.
  await waitUntil('it is not inquired', async () => {
    return (
      (await sql`select from status_inquiries where id = ${orderId} and leased_until is null`)
        .length === 1
    );
  });
  return { id: String(body['id']), orderId };
}

const countInquiries = async (orderId: string): Promise<number> => {
  const [inquiry] = await sql`select number from status_inquiries where id = ${orderId}`;
  return Number(inquiry?.['number']);
};

const listTasks = (paymentId: string) => sql`
  select kind, details::json ->> 'railTransactionId' as refund, details::json ->> 'theirs' as theirs
    from operator_tasks where payment_id = ${paymentId}`;

/** The statuses with which callbacks about refunds of the order were answered. */
async function listAnswers(orderId: string): Promise<unknown[]> {
  const { data } = (await control('GET', 'callbacks')) as {
    data: { subject: string; event: string; status: number | null }[];
  };
  return data
    .filter(({ subject, event }) => subject === orderId && event.startsWith('refund.'))
    .map(({ status }) => status);
}

for (const isLost of [false, true]) {
  const title = isLost ? 'whose own callback was lost' : 'whose own callback arrived';
  t.test(`a dashboard refund of an order ${title} gets 200 and one inquiry`, async (t) => {
    const { id, orderId } = await pay({ isLost });
    const before = await countInquiries(orderId);
    await control('POST', `orders/${orderId}/refund`, { amount: '7000' });
    await waitUntil('there is a task', async () => (await listTasks(id)).length > 0);
    const { refunds } = (await control('GET', `orders/${orderId}`)) as { refunds: Refund[] };
    t.same(
      [...(await listTasks(id))],
      [{ kind: 'rail_difference', refund: refunds[0]?.id, theirs: 'refund 7000 IDR' }],
    );
    t.same(await listAnswers(orderId), [200]);
    t.equal((await countInquiries(orderId)) - before, 1);
    t.equal(await statusOf(id), 'paid', 'no money moves without a person');
  });
}

t.test('a dashboard refund whose callback names the payment alone is found by it', async (t) => {
  const { id, orderId } = await pay();
  await plan({ kind: 'lost', operation: 'callback' });
  await control('POST', `orders/${orderId}/refund`, {});
  await plan();
  const [booked] = await sql`select transaction_id from rail_transactions where payment_id = ${id}`;
  const post = async (data: object) => {
    const body = JSON.stringify({ event: 'refund.succeeded', data: { id: 'rfd-1', ...data } });
    const headers = { 'x-callback-token': 'x-token' };
    return (await fetch(callbackUrl('xendit'), { method: 'POST', body, headers })).status;
  };
  const paymentId = String(booked?.['transaction_id']);
  t.equal(await post({ reference_id: null, payment_id: paymentId }), 200);
  await waitUntil('there is a task', async () => (await listTasks(id)).length === 1);
  t.equal(await post({ reference_id: null, payment_id: 'py-unknown' }), 404);
  t.equal(await post({ reference_id: null, payment_request_id: 'pr-unknown' }), 404);
  const judged = await sql`select from rail_callbacks where judge_at is not null`;
  t.equal(judged.length, 0, 'no order is inquired that nobody can name');
});
