// Payouts that ended differently than reported: the actions of an administrator, their postings, and that only one
// action is taken. The test applies the rails' answers as the rails process does.
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { makeId, type PayoutId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import type { LaterCommand } from '#actors/core/payout/commands.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import { applyCommand } from '#store/postgres/payouts/apply-command.js';
import { reservePayout } from '#store/postgres/payouts/reserve-payout.js';
import * as s from '#test/core/payout/samples.js';
import { beginSession, makePerson, startGateways } from '#test/support/accounts.js';
import { countLockWaits } from '#test/support/waits/lock-waits.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import { createTestMerchant, uniqueWord } from '#test/support/processes.js';
import { balanceOf, openKey, payOut, rowsOf, showPayout } from '#test/support/rails/payouts.js';
import type { MerchantId } from '#actors/core/ids.js';

const { sql, databaseUrl, baseUrl } = await startGateways(t);
const admin = openApi(baseUrl, await beginSession(sql, await makePerson(sql, 'admin', null)));

interface Merchant {
  readonly merchantId: MerchantId;
  readonly live: Api;
}

async function makeMerchant(amount: number): Promise<Merchant> {
  const { merchantId } = await createTestMerchant(databaseUrl, { isLiveEnabled: true });
  await sql`insert into balance_rows (account, currency, amount)
            values (${`merchant_available:${merchantId}:LIVE:IDR`}, 'IDR', ${amount})`;
  const live = await openKey(baseUrl, sql, merchantId, 'LIVE', ['payouts', 'read']);
  return { merchantId, live };
}

/** With what was said of it, one after the other. */
async function make(
  { merchantId }: Merchant,
  amount: bigint,
  ...commands: readonly LaterCommand[]
): Promise<PayoutId> {
  const payoutId = makeId('po', randomBytes(16));
  const request = { ...s.REQUEST, amountMinor: makeMinor(amount) };
  const payout = { payoutId, merchantId, environment: 'LIVE', request, fingerprint: 'x' } as const;
  await reservePayout(sql, { payout, key: null, nowMs: Date.now() });
  for (const command of commands) await say(payoutId, command);
  return payoutId;
}

const say = (id: PayoutId, command: LaterCommand) =>
  applyCommand(sql, id, command, { nowMs: Date.now(), dueInMs: () => null });

const end = (id: PayoutId, verb: string, reference = 'TRF-1'): Promise<ApiAnswer> =>
  admin.call(`/v1/admin/payouts/${id}/${verb}`, {
    method: 'POST',
    body: { external_reference: reference, reason: 'uji' },
  });

async function taskOf(id: PayoutId): Promise<Readonly<Record<string, unknown>>> {
  const { body } = await admin.call('/v1/admin/tasks?kind=payout_contradicted&limit=100');
  const tasks = body['data'] as { details: { payoutId: string } }[];
  return tasks.find(({ details }) => details.payoutId === id) ?? {};
}

async function resolve(id: PayoutId, action: string): Promise<ApiAnswer> {
  const task = await taskOf(id);
  return admin.call(`/v1/admin/tasks/${String(task['id'])}/resolve`, {
    method: 'POST',
    body: { action, note: 'uji' },
  });
}

/** Balances were given to the merchants without postings. */
async function isSound(t: Test): Promise<void> {
  const { faults } = await verifyLedger(sql);
  const told = faults.filter(({ kind }) => kind !== 'balance');
  t.strictSame(told, [], 'every payout and task has exactly its postings');
}

t.test('completed by hand, and sent back by the bank', async (t) => {
  const merchant = await makeMerchant(100);
  const id = await make(merchant, 100n, s.BY_HAND);
  t.equal((await end(id, 'reverse')).code, 'state_conflict', 'not before it is completed');
  await end(id, 'complete', 'TRF-1');
  const answers = await Promise.all([end(id, 'reverse', 'RTR-1'), end(id, 'reverse', 'RTR-1')]);
  for (const { body, text } of answers) {
    const told = { status: 'REVERSED', external_reference: 'TRF-1', reversal_reference: 'RTR-1' };
    t.match(body, told, text);
  }
  t.equal((await end(id, 'reverse', 'RTR-2')).code, 'state_conflict');
  t.strictSame(await balanceOf(merchant.live), { available: '100', in_transit: '0' });
  t.match((await showPayout(merchant.live, id)).body, { status: 'REVERSED', reversed_at: String });
  const audited = await sql`select actor, after from audit_log where target = ${id} order by id`;
  t.match([...audited], [{ after: /TRF-1/ }, { actor: /^usr_/, after: /REVERSED.*RTR-1|RTR-1/s }]);
  t.equal(audited.length, 2, 'each once');
  await isSound(t);
});

t.test('failed, and paid all the same: the merchant bears it', async (t) => {
  const merchant = await makeMerchant(100);
  const id = await make(merchant, 100n, s.SEND, s.FAILED);
  t.equal((await end(id, 'complete')).code, 'state_conflict', 'nobody said so');
  await make(merchant, 80n);
  await say(id, s.COMPLETED);
  t.match(await taskOf(id), { status: 'open', actions: ['acknowledge', 'write_off'] });
  const { body, text } = await end(id, 'complete', 'BANK-7');
  t.match(body, { status: 'COMPLETED', contradicted: false, failure_code: null }, text);
  t.match(await taskOf(id), { status: 'resolved', resolved_by: /^usr_/ });
  t.strictSame(await balanceOf(merchant.live), { available: '-80', in_transit: '80' });
  const blocked = await payOut(merchant.live, { amount: '1' }, uniqueWord());
  t.equal(blocked.code, 'balance_insufficient', 'below zero nothing is paid out');
  t.equal((await end(id, 'complete', 'BANK-7')).status, 200, 'the same again');
  t.equal((await resolve(id, 'write_off')).code, 'state_conflict', 'one way is taken');
  const audited = await sql`select after from audit_log where target = ${id}`;
  t.match([...audited], [{ after: /BANK-7/ }]);
  await isSound(t);
});

t.test('failed, and paid all the same: we bear it, or it is not true', async (t) => {
  const merchant = await makeMerchant(100);
  const contradicted = [s.SEND, s.FAILED, s.COMPLETED];
  const ours = await make(merchant, 60n, ...contradicted);
  const untrue = await make(merchant, 40n, ...contradicted);
  t.equal((await resolve(ours, 'write_off')).status, 200);
  t.equal((await resolve(untrue, 'acknowledge')).status, 200);
  for (const id of [ours, untrue]) {
    t.equal((await end(id, 'complete')).code, 'state_conflict', 'that is settled');
    await say(id, s.COMPLETED);
    const { body } = await showPayout(merchant.live, id);
    t.match(body, { status: 'FAILED' }, 'whatever the rail repeats');
  }
  t.strictSame(await balanceOf(merchant.live), { available: '100', in_transit: '0' });
  const [fees] = await sql`select amount from balances where account = 'fees:xendit:LIVE:IDR'`;
  t.equal(String(fees?.['amount']), '-60');
  await isSound(t);
});

t.test('completed, and called failed afterwards', async (t) => {
  const merchant = await makeMerchant(100);
  const contradicted = [s.SEND, s.COMPLETED, s.FAILED];
  const back = await make(merchant, 60n, ...contradicted);
  const paid = await make(merchant, 40n, ...contradicted);
  t.match(await taskOf(back), { actions: ['acknowledge'] });
  t.equal((await resolve(back, 'write_off')).code, 'state_conflict', 'there is nothing to bear');
  t.match((await end(back, 'reverse', 'RTR-3')).body, { status: 'REVERSED', contradicted: false });
  t.match(await taskOf(back), { status: 'resolved' });
  t.equal((await resolve(paid, 'acknowledge')).status, 200);
  t.match((await showPayout(merchant.live, paid)).body, { status: 'COMPLETED' });
  t.strictSame(await balanceOf(merchant.live), { available: '60', in_transit: '0' });
  t.match((await end(paid, 'reverse')).body, { status: 'REVERSED' }, 'and came back in the end');
  await isSound(t);
});

/** Until somebody waits for a lock that the transaction of `sql` holds. */
const isWaitedFor = () => waitUntil('somebody waits', async () => (await countLockWaits(sql)) > 0);

t.test('settled in the moment in which it is completed', async (t) => {
  const merchant = await makeMerchant(100);
  const id = await make(merchant, 60n, s.SEND, s.FAILED, s.COMPLETED);
  let completing: Promise<ApiAnswer> | undefined;
  await sql.begin(async (tx) => {
    await tx`select from payouts where id = ${id} for update`;
    completing = end(id, 'complete');
    await isWaitedFor();
    await tx`update payouts set contradiction_closed_at = now() where id = ${id}`;
  });
  t.equal((await completing)?.code, 'state_conflict', 'what was decided before does not count');
  t.strictSame(await balanceOf(merchant.live), { available: '100', in_transit: '0' });
});

t.test(
  'a resolution waits for the lock of the payout and holds none that its end needs',
  async (t) => {
    const merchant = await makeMerchant(100);
    const id = await make(merchant, 60n, s.SEND, s.FAILED, s.COMPLETED);
    const { id: taskId } = await taskOf(id);
    let settling: Promise<ApiAnswer> | undefined;
    await sql.begin(async (tx) => {
      await tx`select from payouts where id = ${id} for update`;
      settling = resolve(id, 'write_off');
      await isWaitedFor();
      const free = await tx`
      select id from operator_tasks where id = ${String(taskId)} for update skip locked`;
      t.equal(free.length, 1, 'its task is free');
    });
    t.equal((await settling)?.status, 200);
    await isSound(t);
  },
);

t.test('of all ways at once one is taken', async (t) => {
  const merchant = await makeMerchant(1_000);
  const taken = new Set<string>();
  for (let round = 0; round < 12; round += 1) {
    const id = await make(merchant, 10n, s.SEND, s.FAILED, s.COMPLETED);
    const answers = await Promise.all([
      end(id, 'complete'),
      resolve(id, 'write_off'),
      end(id, 'complete'),
      resolve(id, 'acknowledge'),
    ]);
    const [completed, writtenOff, , acknowledged] = answers.map(({ status }) => status === 200);
    const ways = [completed, writtenOff, acknowledged];
    t.equal(ways.filter(Boolean).length, 1, answers.map(({ text }) => text).join('\n'));
    taken.add(String(ways.indexOf(true)));
    t.ok(answers.every(({ status }) => status === 200 || status === 409));
  }
  t.comment(`taken: ${[...taken].sort().join(', ')}`);
  t.ok(rowsOf(await admin.call('/v1/admin/payouts?limit=100')).length > 12);
  await isSound(t);
});
