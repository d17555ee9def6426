// Postgres is restored to an earlier moment, as docs/operations/backup.md says, while rails have what happened since, and Redis is
// ahead too. Everything that the rails have is found: by inquiries, by `kasir reconcile`, by a repeated callback, or by the repeat
// of a merchant. It is booked once, and no money leaves twice.
import { cpSync, rmSync } from 'node:fs';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import type { ApiAnswer } from '#test/support/api.js';
import {
  approve,
  buildCorrection,
  findFaults,
  makeAdministrators,
  proposeCorrection,
} from '#test/support/approvals.js';
import { runDoctor } from '#test/support/doctor.js';
import { runKasir } from '#test/support/kasir.js';
import { uniqueWord } from '#test/support/processes.js';
import { balanceOf, hasStatus, openKey, payOut } from '#test/support/rails/payouts.js';
import { listDifferences, openReconciled } from '#test/support/rails/reconciled.js';
import { startRails, startRailService } from '#test/support/rails/service.js';
import { startPostgres } from '#test/support/servers.js';

const FUNDS = '100000';

const postgres = await startPostgres(t);
const databaseUrl = await postgres.createDatabase('kasir');
const service = await startRailService(
  t,
  // Frames of the lost time are no longer kept: rails and repeats alone must do.
  {
    RAIL_ROUTES: 'QRIS=midtrans;VA_BCA=xendit',
    RAIL_SYNC_SCHEDULE: '1',
    COMMAND_RETENTION_MS: '0',
    LIVE_WAIT_MS: '5000',
  },
  databaseUrl,
);
const { sql, simulated, live, test, baseUrl, rails, gateways, payments, redis } = service;
await startRails(service);
const { change, dateBack, tasksOf, reconcile } = openReconciled(service);
const [first, second] = await makeAdministrators(sql, [baseUrl]);
const [merchant] = await sql<{ id: string }[]>`
  select id from merchants where live_enabled order by created_at desc limit 1`;
const merchantId = merchant?.id ?? '';
const payer = await openKey(baseUrl, sql, merchantId, 'LIVE', ['payouts', 'read']);

interface Made {
  readonly id: string;
  readonly orderId: string;
  readonly key: string;
}

/** A create that its merchant may repeat. */
const create = (method: string, key: string): Promise<ApiAnswer> =>
  live.create({ amount: '25000', payment_method: method }, key);

async function make(method: string): Promise<Made> {
  const key = uniqueWord();
  const { body, text } = await create(method, key);
  if (typeof body['order_id'] !== 'string') throw new Error(text);
  return { id: String(body['id']), orderId: body['order_id'], key };
}

const isPaid = (id: string): Promise<unknown> =>
  waitUntil(`${id} is paid`, async () => (await service.statusOf(id)) === 'paid');

async function pay(method: string): Promise<Made> {
  const made = await make(method);
  await simulated.control('POST', 'pay', { order_id: made.orderId });
  await isPaid(made.id);
  return made;
}

const refund = (id: string, key: string): Promise<ApiAnswer> =>
  live.call('/v1/refunds', {
    method: 'POST',
    body: { payment_id: id, amount: '3000' },
    headers: { 'idempotency-key': key },
  });

const isRefunded = (id: unknown): Promise<unknown> =>
  waitUntil(`${String(id)} is made`, async () => {
    return (await live.call(`/v1/refunds/${String(id)}`)).body['status'] === 'SUCCEEDED';
  });

const turnSwitches = (isOn: boolean): Promise<unknown> =>
  sql`insert into switches (name, is_on) values ('live_creates', ${isOn}), ('payouts', ${isOn})
      on conflict (name) do update set is_on = ${isOn}`;

/** The rails process asks for the switches by itself, and refuses charges until it knows. */
const chargesAreMade = (): Promise<unknown> =>
  waitUntil('charges are made', async () => {
    return (await create('QRIS', uniqueWord())).status === 201;
  });

async function listTasks(kind: string): Promise<{ id: string; details: Record<string, string> }[]> {
  const rows = await sql<{ id: string; details: string }[]>`
    select id, details from operator_tasks where kind = ${kind} and status = 'open' order by id`;
  return rows.map(({ id, details }) => ({
    id,
    details: JSON.parse(details) as Record<string, string>,
  }));
}

const folder = postgres.folder;
const backup = `${folder}.backup`;
t.teardown(() => {
  rmSync(backup, { recursive: true, force: true });
});

async function backUp(): Promise<void> {
  await postgres.stop();
  cpSync(folder, backup, { recursive: true });
  await postgres.start();
  await waitUntil('the gateway answers', async () => {
    return (await live.call('/v1/payment-methods')).status === 200;
  });
}

/** Steps 1 to 5 of the page. Redis is left as it is: the page empties it, and a forgotten step must cost nothing. */
async function restore(): Promise<void> {
  for (const one of [...gateways, ...payments, rails]) await one.stop();
  await postgres.kill();
  rmSync(folder, { recursive: true });
  cpSync(backup, folder, { recursive: true });
  await postgres.start();
  await waitUntil('Postgres answers', () => sql`select 1`);
  await turnSwitches(false);
  t.match(await runKasir({ DATABASE_URL: databaseUrl }, 'ledger', 'verify'), { code: 0 });
  for (const one of [...payments, ...gateways, rails]) await one.start();
}

t.test('all that rails and merchants have is found, and booked once', async (t) => {
  const funds = { kind: 'adjustment_credit', merchant_id: merchantId, amount: FUNDS };
  const proposed = await proposeCorrection(first, buildCorrection(funds));
  t.match((await approve(second, proposed.body['id'])).body, { status: 'applied' });
  const refundedLater = await pay('QRIS');
  const paidLater = await make('VA_BCA');
  await dateBack([refundedLater]);
  await turnSwitches(false);
  const waiting = await payOut(payer, { amount: '5000' }, uniqueWord());
  const waitingId = String(waiting.body['id']);
  await backUp();
  await turnSwitches(true);
  await chargesAreMade();

  // After the backup. The rails' records are dated back to yesterday, so that it can be reconciled.
  await simulated.control('POST', 'pay', { order_id: paidLater.orderId });
  await isPaid(paidLater.id);
  const refundKey = uniqueWord();
  const refundId = (await refund(refundedLater.id, refundKey)).body['id'];
  await isRefunded(refundId);
  const listed = await pay('VA_BCA');
  const unlisted = await pay('QRIS');
  const repeated = await pay('QRIS');
  const payoutKey = uniqueWord();
  const payout = await payOut(payer, { amount: '7000' }, payoutKey);
  const payoutId = String(payout.body['id']);
  for (const id of [payoutId, waitingId]) await hasStatus(payer, id, 'COMPLETED');
  const testKey = uniqueWord();
  const inTest = await test.create({ amount: '15000' }, testKey);
  await dateBack([refundedLater, listed], [payoutId, waitingId]);

  await restore();
  t.equal(await service.statusOf(listed.id), undefined, 'the payments since the backup are gone');
  await t.test('an open payment that was paid since is paid again by an inquiry', () =>
    isPaid(paidLater.id),
  );

  await t.test('reconciliation names what only the rails have', async (t) => {
    const found = await reconcile();
    t.equal(found.code, 1, found.text);
    t.strictSame(
      listDifferences(found),
      [
        [listed.orderId, 'orphan', 'status', 'absent', 'settled 25000 IDR'],
        [payoutId, 'orphan', 'payout', 'absent', 'completed 7000 IDR'],
        [waitingId, 'differing', 'payout', 'PENDING', 'completed'],
        [refundedLater.orderId, 'orphan', 'refund', 'absent', 'refund 3000 IDR'],
      ].sort(),
      found.text,
    );
  });

  await t.test('money of an order that only the rail has becomes the merchant’s', async (t) => {
    const task = await waitUntil('its money is booked with a task', async () => {
      const tasks = await listTasks('unknown_order');
      return tasks.find(({ details }) => details['orderId'] === listed.orderId);
    });
    const doctor = await runDoctor({ DATABASE_URL: databaseUrl, REDIS_URL: redis.url });
    t.match(doctor.find('tasks.open')?.says, /unknown_order/);
    const body = { action: 'assign', note: 'found', merchant_id: merchantId };
    const path = `/v1/admin/tasks/${task.id}/resolve`;
    t.equal((await first.api.call(path, { method: 'POST', body })).status, 200);
  });

  await turnSwitches(true);
  await chargesAreMade();

  await t.test('a repeated create of a lost payment finds its money', async (t) => {
    await create('QRIS', repeated.key);
    await isPaid(repeated.id);
    t.equal(await service.ordersOf(repeated.orderId), 1, 'the rail refused a second order');
  });

  await t.test('a callback that the rail repeats leads to its money', async (t) => {
    await simulated.control('POST', `orders/${unlisted.orderId}/callback`, {});
    await waitUntil('the callback is kept', async () => {
      const rows = await sql`
        update rail_callbacks set judge_at = now()
         where subject_id = ${unlisted.orderId} and status = 'unknown_order' returning 1`;
      return rows.length > 0;
    });
    await waitUntil('its money is booked with a task', async () => {
      const tasks = await listTasks('unknown_order');
      return tasks.some(({ details }) => details['orderId'] === unlisted.orderId);
    });
    t.pass('found');
  });

  await t.test('a repeated refund and a repeated payout find what the rail made', async (t) => {
    const again = await refund(refundedLater.id, refundKey);
    t.equal(again.body['id'], refundId, again.text);
    await isRefunded(refundId);
    const paidOut = await payOut(payer, { amount: '7000' }, payoutKey);
    t.equal(paidOut.body['id'], payoutId, paidOut.text);
    for (const id of [payoutId, waitingId]) await hasStatus(payer, id, 'COMPLETED');
    const payouts = (await simulated.control('GET', 'payouts')) as { data: unknown[] };
    t.equal(payouts.data.length, 2, 'the rail has made each payout once');
    const order = (await simulated.control('GET', `orders/${refundedLater.orderId}`)) as {
      refunds: unknown[];
    };
    t.equal(order.refunds.length, 1, 'and refunded once');
  });

  await t.test('a repeated create in TEST makes the same payment', async (t) => {
    const again = await test.create({ amount: '15000' }, testKey);
    t.strictSame([again.status, again.body['id']], [201, inTest.body['id']]);
  });

  await t.test('a repeat after its money was assigned books nothing twice', async (t) => {
    const before = await balanceOf(payer);
    const { status } = await create('VA_BCA', listed.key);
    t.equal(status, 504, 'the rail has the order already, and does not say how it is');
    await simulated.control('POST', `orders/${listed.orderId}/callback`, {});
    await waitUntil('a task says so', async () => {
      return (await listTasks('settlement_unapplied')).length > 0;
    });
    t.strictSame(await balanceOf(payer), before);
  });

  await t.test('the ledger is sound, and reconciliation finds nothing new', async (t) => {
    t.strictSame(await findFaults(sql), []);
    t.strictSame(
      (await tasksOf(refundedLater.id)).map(({ details }) => details['booking']),
      [undefined],
    );
    await dateBack([refundedLater], [payoutId, waitingId]);
    const found = await reconcile();
    t.strictSame(listDifferences(found), [], found.text);
  });
  await change(`orders/${listed.orderId}/forget`);
});
