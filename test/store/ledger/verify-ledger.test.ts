// Ledger verification: sound after every kind of payment, and each kind of corruption is found.
import postgres from 'postgres';
import t from 'tap';
import type { PayoutId } from '#actors/core/ids.js';
import { openPostgres } from '#store/postgres/client.js';
import { verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import type { Progress } from '#store/postgres/progress.js';
import { applyCommand } from '#store/postgres/payouts/apply-command.js';
import { openApi } from '#test/support/api.js';
import { runKasir } from '#test/support/kasir.js';
import { startService } from '#test/support/processes.js';

const service = await startService(t);
const api = openApi(service.baseUrl, service.merchant.testKey);
const sql = openPostgres(service.databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));

const refund = (paymentId: unknown, amount?: string) =>
  api.call('/v1/refunds', { method: 'POST', body: { payment_id: paymentId, amount } });

async function makePaid(amount: string): Promise<string> {
  const { body } = await api.create({ amount });
  await api.simulate(body['id'], 'paid');
  return String(body['id']);
}

const paid = await makePaid('50000');
const refunded = await makePaid('800');
await refund(refunded, '300');
await refund(refunded);
const partly = await makePaid('900');
await refund(partly, '1');
const manual = await makePaid('10094');
await refund(manual, '94');
const failed = (await api.create({ amount: '7' })).body['id'];
await api.simulate(failed, 'failed');
await api.create({ amount: '8' });
const account = { bank_code: 'BCA', account_number: '1234567890', account_holder: 'Budi' };
const payOut = async (amount: string): Promise<PayoutId> => {
  const { body } = await api.call('/v1/payouts', { method: 'POST', body: { ...account, amount } });
  return body['id'] as PayoutId;
};
await payOut('1000');
const sent = await payOut('2000');
const timing = { nowMs: Date.now(), dueInMs: () => null };
await applyCommand(sql, sent, { type: 'send', rail: 'sandbox' }, timing);
const completed = { result: 'completed', railReference: null } as const;
await applyCommand(sql, sent, { type: 'answer', answer: completed }, timing);

t.test('a ledger after every kind of payment verifies as sound', async (t) => {
  const report = await verifyLedger(sql);
  t.strictSame(report.faults, []);
  const counts = { payments: 5, postings: 14, payouts: 2, tasks: 1 };
  t.match(report, { isSound: true, faultCount: 0, ...counts });
});

t.test('a verification tells each check, and how many rows it has visited', async (t) => {
  const told: Progress[] = [];
  await verifyLedger(sql, (progress) => told.push(progress));
  const steps = [...new Set(told.map(({ step }) => step))];
  t.strictSame([steps[0], steps.at(-1)], ['balances (1 of 10)', 'counts (10 of 10)']);
  const payments = told.filter(({ step }) => step === 'payments (5 of 10)');
  t.match(payments, [{ done: undefined }, { done: 5, isEstimated: true }]);
  t.type(payments.at(-1)?.total, 'number');
});

/** Each of them, on a copy of the books that is thrown away. */
const BREAKS: readonly [name: string, statement: string, kind: string][] = [
  ['a balance that moved by itself', 'update balances set amount = amount + 1', 'balance'],
  [
    'a missing balance',
    "delete from balances where account like 'merchant_available:%'",
    'balance',
  ],
  [
    'a checkpoint that differs from the postings before it',
    `insert into balance_checkpoints
     select account, date_trunc('month', now(), 'UTC') + interval '1 month', amount + 1
       from balances where account like 'merchant_available:%'`,
    'checkpoint',
  ],
  [
    'a checkpoint within a month',
    `insert into balance_checkpoints
     select account, date_trunc('month', now(), 'UTC') + interval '40 days', amount
       from balances where account like 'merchant_available:%'`,
    'checkpoint',
  ],
  ['a balance of nothing', "insert into balances values ('fees:x:TEST:IDR', 'IDR', 5)", 'balance'],
  ['a posting that is gone', `delete from postings where cause_id = '${paid}'`, 'payment'],
  [
    'a refund posted for less',
    "update postings set amount = amount - 1 where reason = 'refund_succeeded' and amount = 300",
    'payment',
  ],
  [
    'a repeated posting',
    `insert into postings select cause_kind, cause_id, version + 50, index, debit, credit, amount, currency, reason, at
       from postings where cause_id = '${paid}'`,
    'payment',
  ],
  [
    'money of TEST on a LIVE account',
    "update postings set credit = replace(credit, ':TEST:', ':LIVE:')",
    'crossing',
  ],
  [
    "another merchant's account",
    `update postings set credit = replace(credit, ':mer_', ':mer_x') where cause_id = '${paid}'`,
    'payment',
  ],
  ['another currency', "update postings set currency = 'USD'", 'crossing'],
  [
    'a posting without a payment',
    `update postings set cause_id = 'pay_x' where cause_id = '${paid}'`,
    'crossing',
  ],
  [
    'a posting of another kind of cause',
    `update postings set cause_kind = 'payout' where cause_id = '${paid}'`,
    'crossing',
  ],
  [
    'a posting of a payment that was not paid',
    `update postings set cause_id = '${String(failed)}' where cause_id = '${paid}'`,
    'payment',
  ],
  [
    'a payout that is wrongly completed',
    "update payouts set status = 'COMPLETED' where status = 'PENDING'",
    'payout',
  ],
  ['a payout for less', 'update payouts set amount = amount - 1', 'payout'],
  ['a payout by another rail', "update payouts set rail = 'xendit'", 'payout'],
  [
    'a payout posted twice',
    `insert into postings select cause_kind, cause_id, version + 50, index, debit, credit, amount, currency, reason, at
       from postings where cause_id = '${sent}'`,
    'payout',
  ],
  ['a payout that is gone', `delete from payouts where id = '${sent}'`, 'crossing'],
  ['a payout of TEST in LIVE', "update payouts set environment = 'LIVE'", 'crossing'],
  [
    'a hold released in TEST',
    `update postings set reason = 'hold_released' where cause_id = '${paid}'`,
    'payment',
  ],
];

t.test('each kind of corruption is found', async (t) => {
  for (const [name, statement, kind] of BREAKS) {
    const { database, end } = await copyBooks();
    await database.unsafe(statement);
    const report = await verifyLedger(database);
    t.equal(report.isSound, false, name);
    t.ok(
      report.faults.some((fault) => fault.kind === kind),
      `${name}: ${kind}`,
    );
    await end();
  }
});

t.test('checkpoints that the postings make are sound', async (t) => {
  const { database, end } = await copyBooks();
  await database.unsafe(`
    insert into balance_checkpoints
    select account, date_trunc('month', now(), 'UTC') + months * interval '1 month',
           case when months > 0 then amount else 0 end
      from balances, generate_series(-1, 2) as months where account like 'merchant%' and months <> 0`);
  t.strictSame((await verifyLedger(database)).faults, []);
  await end();
});

/** A schema of its own, which is looked at first. */
async function copyBooks() {
  const schema = `copy_${Math.random().toString(36).slice(2)}`;
  await sql.unsafe(`create schema ${schema}`);
  for (const table of ['payments', 'payouts', 'postings', 'balances', 'balance_checkpoints']) {
    await sql.unsafe(`create table ${schema}.${table} as table public.${table}`);
  }
  const database = postgres(service.databaseUrl, {
    max: 1,
    connection: { search_path: `${schema}, public` },
  });
  return { database, end: () => database.end({ timeout: 1 }) };
}

t.test('the command prints discrepancies and exits with 1', async (t) => {
  const run = (...args: string[]) =>
    runKasir({ DATABASE_URL: service.databaseUrl }, 'ledger', ...args);
  const sound = await run('verify');
  t.equal(sound.code, 0, sound.stderr);
  t.match(
    sound.stdout,
    /^the ledger is sound: \d+ accounts, 14 postings, 5 payments, 2 payouts, 1 tasks, 0 bookings at rails, 0 approvals\n$/,
  );
  const json: unknown = JSON.parse((await run('verify', '--json')).stdout);
  t.match(json, { isSound: true, faults: { length: 0 }, payments: 5 });
  t.equal((await run('verify', '--fast')).code, 2);
  t.equal((await run()).code, 2);
  await sql`update balance_rows set amount = amount + 1 where account like 'merchant_available:%'`;
  const broken = await run('verify');
  t.equal(broken.code, 1);
  t.match(broken.stdout, /^balance merchant_available:mer_/);
  t.match(broken.stdout, /the ledger has 1 fault\(s\)/);
  const brokenJson: unknown = JSON.parse((await run('verify', '--json')).stdout);
  t.match(brokenJson, { isSound: false, faultCount: 1 });
});
