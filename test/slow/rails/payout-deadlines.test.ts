// Payouts that wait for longer than a day, in each status that is not final: each is an operator task with a way out.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { prepareProcess, uniqueWord } from '#test/support/processes.js';
import { balanceOf, hasStatus, openLivePayouts, payOut } from '#test/support/rails/payouts.js';
import { startRailService, startRails } from '#test/support/rails/service.js';

/** The simulated rail accepts payouts to this account and reports nothing more. */
const SILENT_ACCOUNT = '131313';

const service = await startRailService(t);
const { sql } = service;
await startRails(service);
const { merchantId } = service.merchant;
const { live, admin } = await openLivePayouts(service, 100_000);

async function make(): Promise<string> {
  const request = { amount: '10', account_number: SILENT_ACCOUNT };
  let id: unknown;
  await waitUntil('a payout is taken', async () => {
    id = (await payOut(live, request, uniqueWord())).body['id'];
    return id !== undefined;
  });
  return String(id);
}

const ageByADay = (id: string) => sql`
  update payouts set created_at = created_at - interval '25 hours',
                     sent_at = sent_at - interval '25 hours' where id = ${id}`;

const hasTask = (id: string, kind: string, status = 'open') =>
  waitUntil(`${id} has a task ${kind}, ${status}`, async () => {
    const rows = await sql`
      select from operator_tasks where payout_id = ${id} and kind = ${kind} and status = ${status}`;
    return rows.length === 1;
  });

const fail = (id: string) =>
  admin.call(`/v1/admin/payouts/${id}/fail`, {
    method: 'POST',
    body: { external_reference: uniqueWord(), reason: 'the rail cancelled it' },
  });

async function turnPayouts(isOn: boolean): Promise<void> {
  await sql`insert into switches (name, is_on) values ('payouts', ${isOn})
            on conflict (name) do update set is_on = excluded.is_on`;
}

t.test(
  'a payout that its rail leaves accepted for a day becomes a task and may be ended',
  async (t) => {
    const id = await make();
    await waitUntil('the rail has accepted it', async () => {
      const [row] = await sql`select rail_reference from payouts where id = ${id}`;
      return typeof row?.['rail_reference'] === 'string';
    });
    t.equal((await fail(id)).code, 'state_conflict', 'not before its deadline');
    await ageByADay(id);
    await hasTask(id, 'payout_unresolved');
    t.match((await fail(id)).body, { status: 'FAILED' });
    await hasTask(id, 'payout_unresolved', 'resolved');
  },
);

t.test('a payout that is held for a day becomes a task, which ends when it is sent', async () => {
  await service.rails.stop();
  await turnPayouts(false);
  const [row] = await sql`
    insert into payouts (id, merchant_id, environment, status, amount, currency, bank_code,
                         account_number, account_holder, fingerprint, version, created_at, due_at)
    values ('po_00000000000000000000000001', ${merchantId}, 'LIVE', 'PENDING', 5, 'IDR', 'BCA', '1',
            'Budi', '1:x', 1, now() - interval '25 hours', now()) returning id`;
  const id = String(row?.['id']);
  await service.rails.start();
  await hasTask(id, 'payout_not_sent');
  await turnPayouts(true);
  await hasStatus(live, id, 'COMPLETED');
  await hasTask(id, 'payout_not_sent', 'resolved');
});

t.test('a payout whose rail is no longer configured becomes a task and may be ended', async (t) => {
  const id = await make();
  await hasStatus(live, id, 'PROCESSING');
  await service.rails.stop();
  const { RAIL_XENDIT_URL, RAIL_XENDIT_SECRET_KEY, RAIL_XENDIT_CALLBACK_TOKEN, ...rest } =
    service.variables;
  t.ok(RAIL_XENDIT_URL && RAIL_XENDIT_SECRET_KEY && RAIL_XENDIT_CALLBACK_TOKEN);
  const routes = { RAIL_ROUTES: 'QRIS=midtrans' };
  const others = await prepareProcess(t, 'rails', { ...rest, ...routes });
  await others.start();
  await ageByADay(id);
  await hasTask(id, 'payout_unresolved');
  const before = await balanceOf(live);
  t.match((await fail(id)).body, { status: 'FAILED' });
  t.equal(Number((await balanceOf(live)).available) - Number(before.available), 10);
});
