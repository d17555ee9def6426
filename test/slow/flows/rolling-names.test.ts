// Rails and webhooks processes of the last build before tables were renamed, on the schema of this build: alone, beside the
// processes of this build, and these alone (docs/decisions/0075-one-name-per-thing.md).
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { makeId, type MerchantId, parseErasureId } from '#actors/core/ids.js';
import { createErasureRequest } from '#store/postgres/payments/erasure-requests.js';
import { prepareProcess, type RunningProcess, uniqueWord } from '#test/support/processes.js';
import { type RailService, startRailService } from '#test/support/rails/service.js';
import { BEFORE_RENAMES, checkOut } from './other-build.js';

/** In each step. */
const PAYMENTS = 12;

/** Creates a LIVE payment that its customer pays. Of every second one no callback comes, so that an inquiry finds it. */
async function payLive({ simulated, live, sql, statusOf }: RailService, email: string, n: number) {
  const body = { amount: '25000', payment_method: 'QRIS', customer_email: email };
  const created = await live.create(body, uniqueWord());
  const { id, order_id: orderId } = created.body;
  const isLost = n % 2 === 1;
  const callback = { operation: 'callback', subject: String(orderId) } as const;
  if (isLost) await simulated.plan({ kind: 'lost', ...callback });
  await simulated.control('POST', 'pay', { order_id: orderId });
  if (isLost) await sql`update status_inquiries set due_at = now() where id = ${String(orderId)}`;
  await waitUntil('it is paid', async () => (await statusOf(id)) === 'paid');
  return String(id);
}

async function refund({ live }: RailService, id: string): Promise<void> {
  const made = await live.call('/v1/refunds', {
    method: 'POST',
    body: { payment_id: id, amount: '1000' },
    headers: { 'idempotency-key': uniqueWord() },
  });
  await waitUntil('it is refunded', async () => {
    const { body } = await live.call(`/v1/refunds/${String(made.body['id'])}`);
    return body['status'] === 'SUCCEEDED';
  });
}

/** Creates a payment that the merchant cancels, so that its order is closed. */
async function closeOrder({ live, sql, create }: RailService): Promise<void> {
  const { body } = await create('QRIS');
  await live.cancel(body['id']);
  await waitUntil('its order is closed', async () => {
    const rows = await sql`
      select from rail_calls
       where payment_id = ${String(body['id'])} and operation = 'close' and state = 'answered'`;
    return rows.length === 1;
  });
}

async function eraseCustomer({ sql }: RailService, email: string, of: string): Promise<void> {
  const [owner] = await sql<{ id: MerchantId }[]>`
    select merchant_id as id from payments where id = ${of}`;
  const id = parseErasureId(makeId('era', randomBytes(16)));
  if (owner === undefined || id === undefined) throw new Error(`${of} is not stored`);
  await createErasureRequest(sql, null, {
    ...{ id, merchantId: owner.id, environment: 'LIVE', field: 'customer_email' },
    ...{ sought: email, withReference: false },
  });
  await waitUntil('the customer is erased', async () => {
    const rows = await sql`
      select from erasure_requests where id = ${id} and completed_at is not null`;
    return rows.length === 1;
  });
}

/** All that rails and webhooks processes do with the renamed tables. */
async function useService(t: Test, service: RailService): Promise<void> {
  const email = `${uniqueWord()}@example.com`;
  const ids: string[] = [];
  for (let n = 0; n < PAYMENTS; n += 1) ids.push(await payLive(service, email, n));
  await refund(service, ids[0] ?? '');
  await closeOrder(service);
  await eraseCustomer(service, email, ids[0] ?? '');
  const erased = await service.sql`
    select from erasure_subjects where id = any(${ids}::text[]) and erased_at is not null`;
  t.equal(erased.length, PAYMENTS, 'each payment of the customer is erased');
  const charges = await service.sql`
    select count(*)::int as calls from rail_calls
     where payment_id = any(${ids}::text[]) and operation = 'charge' group by payment_id`;
  t.strictSame([...charges], Array(PAYMENTS).fill({ calls: 1 }), 'each is charged once');
}

const listFaults = (one: RunningProcess) =>
  one.logs().filter(({ level }) => level === 'error' || level === 'fatal');

t.test('processes from before the renames run on this schema, and beside this build', async (t) => {
  const former = checkOut(t, BEFORE_RENAMES);
  const service = await startRailService(t);
  const { variables } = service;
  const before = await Promise.all([
    prepareProcess(t, 'rails', variables, former),
    prepareProcess(t, 'webhooks', variables, former),
  ]);
  const now = [service.rails, await prepareProcess(t, 'webhooks', variables)];
  await Promise.all(before.map((one) => one.start()));
  await waitUntil('methods are offered', async () => (await service.methods()).includes('QRIS'));
  await t.test('alone', (t) => useService(t, service));
  await Promise.all(now.map((one) => one.start()));
  await t.test('beside this build', (t) => useService(t, service));
  for (const one of before) {
    one.signal('SIGTERM');
    t.equal(await one.waitForEnd(), 0, `${one.name} ends with 0`);
    t.strictSame(listFaults(one), [], `${one.name} had no error`);
  }
  await t.test('replaced by this build', (t) => useService(t, service));
  for (const one of now) t.strictSame(listFaults(one), [], `${one.name} has no error`);
});
