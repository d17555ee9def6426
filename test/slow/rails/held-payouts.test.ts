// Payouts of a suspended merchant are held, and those of a rail that does not answer. A payout that was not sent can be
// cancelled, which returns its money.
import t from 'tap';
import type { PayoutId } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { applyCommand } from '#store/postgres/payouts/apply-command.js';
import { createPayoutTurns, loadToSend } from '#store/postgres/payouts/due-payouts.js';
import { verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import { openApi } from '#test/support/api.js';
import { readMetrics, uniqueWord } from '#test/support/processes.js';
import {
  balanceOf,
  hasStatus,
  openLivePayouts,
  payOut,
  showPayout,
} from '#test/support/rails/payouts.js';
import { startRailService, startRails } from '#test/support/rails/service.js';

const service = await startRailService(t, { RAIL_SYNC_SCHEDULE: '1' });
const { sql, rails } = service;
await startRails(service);
const { merchantId } = service.merchant;
const setStatus = (status: string) => sql`
  update merchants set verification_status = ${status}, live_enabled = true where id = ${merchantId}`;
const { live, admin } = await openLivePayouts(service, 1_000);

async function make(amount: string): Promise<string> {
  let id: unknown;
  await waitUntil('a payout is taken', async () => {
    id = (await payOut(live, { amount }, uniqueWord())).body['id'];
    return id !== undefined;
  });
  return String(id);
}

const cancel = (id: string) => live.call(`/v1/payouts/${id}/cancel`, { method: 'POST' });

t.test(
  'a pending payout of a suspended merchant is held until the merchant is approved',
  async (t) => {
    await rails.stop();
    const id = await make('10');
    await setStatus('SUSPENDED');
    await rails.start();
    const other = await sql`
    insert into payouts (id, merchant_id, environment, status, amount, currency, bank_code,
                         account_number, account_holder, fingerprint, version, created_at, due_at)
    values ('po_00000000000000000000000002', ${merchantId}, 'TEST', 'PENDING', 5, 'IDR', 'BCA', '1',
            'Budi', '1:x', 1, now(), now()) returning id`;
    await waitUntil('the rails process sends payouts', async () => {
      const [row] = await sql`select status from payouts where id = ${String(other[0]?.['id'])}`;
      return row?.['status'] === 'COMPLETED';
    });
    const [held] = await sql`select status from payouts where id = ${id}`;
    t.equal(held?.['status'], 'PENDING', 'held');
    await setStatus('APPROVED');
    await waitUntil('it is sent', async () => {
      const [row] = await sql`select status from payouts where id = ${id}`;
      return row?.['status'] === 'COMPLETED';
    });
  },
);

t.test('a suspension between the selection and the claim of a payout holds it', async (t) => {
  await rails.stop();
  const id = (await make('15')) as PayoutId;
  const selected = await loadToSend(sql, createPayoutTurns('send'), ['LIVE'], 10);
  t.ok(
    selected.some(({ state }) => state.id === id),
    'it is selected',
  );
  await setStatus('SUSPENDED');
  const context = { nowMs: Date.now(), dueInMs: () => null };
  for (const command of [{ type: 'send', rail: 'xendit' }, { type: 'make_manual' }] as const) {
    const { outcome } = await applyCommand(sql, id, command, context);
    t.equal(outcome, 'overtaken', command.type);
  }
  const [held] = await sql`select status, rail from payouts where id = ${id}`;
  t.match(held, { status: 'PENDING', rail: null });
  await setStatus('APPROVED');
  await rails.start();
  await hasStatus(live, id, 'COMPLETED');
});

t.test('a payout that was not sent is cancelled by its merchant', async (t) => {
  await rails.stop();
  const id = await make('20');
  const before = await balanceOf(live);
  const answers = await Promise.all([cancel(id), cancel(id)]);
  for (const { status, body, text } of answers) {
    t.match(
      { status, body },
      { status: 200, body: { status: 'FAILED', failure_code: 'cancelled' } },
      text,
    );
  }
  t.equal(Number((await balanceOf(live)).available) - Number(before.available), 20, 'once');
  const test = openApi(service.baseUrl, service.merchant.testKey);
  const foreign = await test.call(`/v1/payouts/${id}/cancel`, { method: 'POST' });
  t.equal(foreign.code, 'payout_not_found', 'the other environment does not find it');
  await rails.start();
  const sent = await make('30');
  await hasStatus(live, sent, 'COMPLETED');
  t.equal((await cancel(sent)).code, 'state_conflict');
  t.match((await showPayout(live, id)).body, { status: 'FAILED' }, 'it is not sent');
});

t.test('an administrator cancels the payout of a suspended merchant', async (t) => {
  await rails.stop();
  const id = await make('40');
  await setStatus('SUSPENDED');
  const cancelled = await admin.call(`/v1/admin/payouts/${id}/cancel`, {
    method: 'POST',
    body: { external_reference: 'CASE-7', reason: 'suspended' },
  });
  t.match(cancelled.body, { status: 'FAILED', failure_code: 'cancelled' }, cancelled.text);
  const audited = await sql`select actor, after from audit_log where target = ${id}`;
  t.match([...audited], [{ actor: /^usr_/, after: /CASE-7/ }]);
  const { faults } = await verifyLedger(sql);
  t.strictSame(
    faults.filter(({ kind, subject }) => kind === 'payout' && subject === id),
    [],
  );
});

/** Calls for LIVE payouts under way in one process. */
const SLOTS = 32;

t.test(
  'payouts at a rail that fails are held, and each is sent once when it is back',
  async (t) => {
    await rails.stop();
    await setStatus('APPROVED');
    const ids = await Promise.all(Array.from({ length: 3 * SLOTS }, () => make('1')));
    const list = (status: string) => sql<{ id: string; is_unknown: boolean; look_ups: number }[]>`
    select id, is_unknown, look_ups from payouts where id = any(${ids}) and status = ${status}`;
    const findFailed = async (moreThan: number) => {
      const claimed = await list('PROCESSING');
      const hasFailed = claimed.every(({ is_unknown: isUnknown }) => isUnknown);
      return hasFailed && claimed.length > moreThan ? claimed : undefined;
    };
    const hasBreaker = (value: number) =>
      waitUntil(`the circuit breaker is ${value}`, async () => {
        const line = `kasir_rail_circuit_breaker_state{rail="xendit",operation="payout"} ${value}`;
        return (await readMetrics(rails)).includes(line);
      });
    await service.simulated.plan({ kind: 'reset', operation: 'payout', took: false });
    await rails.start();
    await hasBreaker(2);
    const before = await waitUntil('the calls under way have failed', () => findFailed(0));
    t.ok(before.length <= SLOTS, `${before.length} are claimed`);
    const probed = await waitUntil('the probe has failed', () => findFailed(before.length));
    t.equal(probed.length, before.length + 1, 'one payout is the probe');
    await waitUntil('status inquiries go on', async () => {
      return (await list('PROCESSING')).every(({ look_ups: inquiries }) => inquiries > 0);
    });
    const [held, ...others] = (await list('PENDING')).map(({ id }) => id);
    t.match((await cancel(String(held))).body, { status: 'FAILED', failure_code: 'cancelled' });
    const [test] = await sql`
    insert into payouts (id, merchant_id, environment, status, amount, currency, bank_code,
                         account_number, account_holder, fingerprint, version, created_at, due_at)
    values ('po_00000000000000000000000003', ${merchantId}, 'TEST', 'PENDING', 5, 'IDR', 'BCA', '1',
            'Budi', '1:x', 1, now(), now()) returning id`;
    await waitUntil('a TEST payout is completed', async () => {
      const rows =
        await sql`select from payouts where id = ${String(test?.['id'])} and status = 'COMPLETED'`;
      return rows.length === 1;
    });

    await service.simulated.plan();
    await hasBreaker(0);
    for (const id of others) await hasStatus(live, id, 'COMPLETED');
    const { data } = (await service.simulated.control('GET', 'requests')) as {
      data: { operation: string; subject: string; count: number }[];
    };
    const requests = data.filter(
      ({ operation, subject }) => operation === 'payout' && ids.includes(subject),
    );
    t.equal(requests.length, ids.length - 1, 'all but the cancelled one');
    t.ok(
      requests.every(({ count }) => count === 1),
      'none twice',
    );
  },
);
