// Statements: every movement of a period once, however many have the same time, with running balances from the opening to
// the closing one, and without other merchants, environments or rails.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { openPostgres } from '#store/postgres/client.js';
import { writeStatement } from '#store/postgres/ledger/write-statement.js';
import { runKasir } from '#test/support/kasir.js';
import { createDatabase } from '#test/support/servers.js';

const MOVEMENTS = 2_500;
const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));
const merchantId = makeId('mer', randomBytes(16));
const otherMerchant = makeId('mer', randomBytes(16));
const available = (of: string, environment = 'TEST'): string =>
  `merchant_available:${of}:${environment}:IDR`;
const clearing = 'rail_clearing:sandbox:TEST:IDR';

/** Cause, debit, credit, amount, time. */
async function post(
  cause: string,
  [debit, credit]: readonly [string, string],
  amount: number,
  at: string,
): Promise<void> {
  const kind = cause.startsWith('task_') ? 'task' : 'payment';
  await sql`select post(${kind}, ${cause}, 1, ${debit}, ${credit}, ${amount}, 'IDR', 'payment_paid')`;
  await sql`update postings set at = ${at}::timestamptz where cause_id = ${cause}`;
}

await post('pay_a', [clearing, available(merchantId)], 1_000, '2026-07-31T23:59:59.999999Z');
await post(
  'pay_b',
  [available(merchantId), `refund_clearing:${merchantId}:TEST:IDR`],
  10,
  '2026-08-01T00:00:00Z',
);
await post(
  'task_c',
  [`suspense:${merchantId}:TEST:IDR`, available(merchantId)],
  5,
  '2026-08-31T23:59:59.999999Z',
);
await post('pay_d', [clearing, available(merchantId)], 7, '2026-09-01T00:00:00Z');
await post('pay_e', [clearing, available(otherMerchant)], 99, '2026-08-02T00:00:00Z');
await post('pay_f', [clearing, available(merchantId, 'LIVE')], 98, '2026-08-02T00:00:00Z');
await sql`
  insert into postings (cause_kind, cause_id, version, index, debit, credit, amount, currency, reason, at)
  select 'payment', 'pay_' || lpad(n::text, 26, '0'), 1, 0, ${clearing}, ${available(merchantId)}, 2, 'IDR',
         'payment_paid', '2026-08-15'::timestamptz + (n / 900) * interval '1 microsecond'
    from generate_series(1, ${MOVEMENTS}) as n`;
await sql`update balance_rows set amount = amount + ${2 * MOVEMENTS} where account = ${available(merchantId)}`;

const scope = {
  merchantId,
  environment: 'TEST',
  fromMs: Date.parse('2026-08-01'),
  toMs: Date.parse('2026-09-01'),
} as const;

async function readLines(of = scope): Promise<string[]> {
  let text = '';
  for await (const lines of writeStatement(sql, of)) text += lines;
  return text.split('\r\n').slice(0, -1);
}

t.test('the statement of a month lists each movement once with running balances', async (t) => {
  const [header, ...lines] = await readLines();
  t.equal(header, 'at,account,amount,balance,currency,reason,object');
  const quoted = /^"[^"]+","available",-10,990,"IDR","payment_paid","pay_b"$/;
  t.ok(
    lines.some((line) => quoted.test(line)),
    'texts are quoted, amounts are not',
  );
  const rows = lines.map((line) => line.replaceAll('"', '').split(','));
  const of = (account: string) => rows.filter((row) => row[1] === account);
  t.equal(of('available').length, MOVEMENTS + 4);
  t.equal(new Set(of('available').map((row) => row[6])).size, MOVEMENTS + 3, 'each once');
  t.same(of('available').slice(0, 2), [
    ['2026-08-01T00:00:00.000Z', 'available', '', '1000', 'IDR', 'opening_balance', ''],
    ['2026-08-01T00:00:00.000Z', 'available', '-10', '990', 'IDR', 'payment_paid', 'pay_b'],
  ]);
  t.same(of('available').slice(-2), [
    ['2026-08-31T23:59:59.999Z', 'available', '5', '5995', 'IDR', 'payment_paid', 'task_c'],
    ['2026-09-01T00:00:00.000Z', 'available', '', '5995', 'IDR', 'closing_balance', ''],
  ]);
  t.same(
    of('suspense').map((row) => row[3]),
    ['0', '-5', '-5'],
  );
  t.same(
    of('refund_clearing').map((row) => row[2]),
    ['', '10', ''],
  );
  t.notMatch(lines.join('\n'), /clearing:|sandbox|pay_[aef]\b/);
});

t.test('the statement of another merchant or environment lists none of them', async (t) => {
  t.equal((await readLines({ ...scope, merchantId: otherMerchant })).length, 4);
  const nobody = makeId('mer', randomBytes(16));
  t.equal((await readLines({ ...scope, merchantId: nobody })).length, 1, 'the header alone');
});

t.test('the statement command writes CSV', async (t) => {
  const run = (...args: string[]) => runKasir({ DATABASE_URL: databaseUrl }, 'ledger', ...args);
  const wish = ['statement', '--merchant', merchantId, '--environment', 'TEST'];
  const printed = await run(...wish, '--from', '2026-08-01', '--to', '2026-09-01');
  t.equal(printed.code, 0, printed.stderr);
  t.equal(printed.stdout, `${(await readLines()).join('\r\n')}\r\n`, 'the same file');
  for (const wrong of [
    [],
    ['--from', 'x'],
    ['--from', '2027-01-01', '--to', '2026-01-01'],
    ['--fast'],
  ]) {
    t.equal((await run(...wish, ...wrong)).code, 2);
  }
  const merchant = ['--merchant', 'mer_x', '--environment', 'TEST'];
  t.equal((await run('statement', ...merchant, '--from', '2026-08-01')).code, 2);
  t.equal((await run('statement', '--from', '2026-08-01')).code, 2, 'no account');
});
