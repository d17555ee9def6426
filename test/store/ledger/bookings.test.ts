// Bookings at rails: once per reference, however often the command is repeated, verified by the ledger; and the statement of
// one account, including a rail's own.
import postgres from 'postgres';
import t from 'tap';
import { makeMinor } from '#actors/core/money.js';
import { openPostgres } from '#store/postgres/client.js';
import { bookAtRail } from '#store/postgres/ledger/book-at-rail.js';
import { verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import { runKasir } from '#test/support/kasir.js';
import { createDatabase } from '#test/support/servers.js';

const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 8);
t.teardown(() => sql.end({ timeout: 1 }));

const run = (...args: string[]) => runKasir({ DATABASE_URL: databaseUrl }, 'ledger', ...args);

const balances = async () => {
  const rows = await sql<{ account: string; amount: string }[]>`
    select account, amount::text as amount from balances order by account`;
  return Object.fromEntries(rows.map(({ account, amount }) => [account, amount]));
};

t.test('a booking that is repeated with its reference is booked once', async (t) => {
  const fee = { kind: 'fee', rail: 'midtrans', reference: 'STL-1', currency: 'IDR' } as const;
  const booking = { ...fee, amountMinor: makeMinor(700n) };
  const sent = Array.from({ length: 8 }, () => bookAtRail(sql, booking, 'MDR of August'));
  const outcomes = (await Promise.all(sent)).sort();
  t.strictSame(outcomes, ['booked', ...Array.from({ length: 7 }, () => 'known')]);
  t.equal(await bookAtRail(sql, { ...booking, amountMinor: makeMinor(701n) }, 'again'), 'differs');
  t.strictSame(await balances(), {
    'fees:midtrans:LIVE:IDR': '-700',
    'rail_clearing:midtrans:LIVE:IDR': '700',
  });
  const audited = await sql`select actor, action, after from audit_log`;
  t.match([...audited], [{ actor: /^database:/, action: 'rail_bookings.insert', after: /STL-1/ }]);
});

t.test('the booking commands write and report bookings', async (t) => {
  const wish = ['--rail', 'midtrans', '--reference', 'BCA-9', '--note', 'settlement of 2 August'];
  const settled = ['book', '--kind', 'settled', '--amount', '5000', ...wish];
  t.equal((await run(...settled)).stdout, 'booked\n');
  t.equal((await run(...settled)).stdout, 'known\n');
  const other = await run('book', '--kind', 'settled', '--amount', '5001', ...wish);
  t.strictSame([other.code, other.stdout], [1, 'differs\n']);
  t.equal((await run('book', '--kind', 'topped_up', '--amount', '1000', ...wish)).code, 0);
  t.equal((await run('book', '--kind', 'fee_returned', '--amount', '100', ...wish)).code, 0);
  for (const wrong of [
    ['--kind', 'gift', '--amount', '1', ...wish],
    ['--kind', 'fee', '--amount', '0', ...wish],
    ['--kind', 'fee', '--amount', '1', '--rail', 'sandbox', '--reference', 'r', '--note', 'n'],
    ['--kind', 'fee', '--amount', '1', '--rail', 'midtrans', '--note', 'n'],
  ]) {
    t.equal((await run('book', ...wrong)).code, 2, wrong.join(' '));
  }
  t.strictSame(await balances(), {
    'fees:midtrans:LIVE:IDR': '-600',
    'rail_clearing:manual:LIVE:IDR': '-4000',
    'rail_clearing:midtrans:LIVE:IDR': '4600',
  });
});

t.test('the statement of one account lists its movements and balances', async (t) => {
  const statement = (account: string, ...more: string[]) =>
    run('statement', '--account', account, '--from', '2020-01-01', ...more);
  const { stdout, stderr } = await statement('rail_clearing:midtrans:LIVE:IDR');
  const rows = stdout.split('\r\n').map((line) => line.replaceAll('"', '').split(',').slice(1, 6));
  t.strictSame(
    rows.slice(1, -1),
    [
      ['rail_clearing', '', '0', 'IDR', 'opening_balance'],
      ['rail_clearing', '700', '700', 'IDR', 'rail_fee'],
      ['rail_clearing', '5000', '5700', 'IDR', 'rail_settled'],
      ['rail_clearing', '-1000', '4700', 'IDR', 'rail_topped_up'],
      ['rail_clearing', '-100', '4600', 'IDR', 'rail_fee_returned'],
      ['rail_clearing', '', '4600', 'IDR', 'closing_balance'],
    ],
    stderr,
  );
  const later = await statement(
    'fees:midtrans:LIVE:IDR',
    '--from',
    '2100-01-01',
    '--to',
    '2100-02-01',
  );
  t.match(later.stdout, /"fees",,-600,"IDR","opening_balance"/, 'what stood before the time');
  const json = await statement('fees:midtrans:LIVE:IDR', '--json');
  t.match(
    json.stdout
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line)),
    [
      { account: 'fees', balance: '0', reason: 'opening_balance' },
      { account: 'fees', amount: '-700', balance: '-700', reason: 'rail_fee' },
      { account: 'fees', amount: '100', balance: '-600', reason: 'rail_fee_returned' },
      { account: 'fees', balance: '-600', currency: 'IDR', reason: 'closing_balance' },
    ],
  );
  const unknown = await statement('nothing:of:that:kind');
  t.equal(unknown.stdout.split('\r\n').length, 2, 'the header alone');
  const merchant = ['--merchant', `mer_${'0'.repeat(26)}`];
  t.equal((await statement('fees:midtrans:LIVE:IDR', ...merchant)).code, 2);
  t.equal((await statement('fees:midtrans:LIVE:IDR', '--merchant', 'mer_x')).code, 2);
});

t.test('a changed booking is found by ledger verify', async (t) => {
  t.match(await verifyLedger(sql), { isSound: true, bookings: 4, faults: { length: 0 } });
  const breaks = {
    'another amount': `update rail_bookings set amount = amount + 1 where kind = 'fee'`,
    'no posting': `delete from postings where reason = 'rail_settled'`,
    'another way': `update rail_bookings set kind = 'fee' where kind = 'topped_up'`,
    'no booking': `delete from rail_bookings where kind = 'fee_returned'`,
  };
  for (const [index, [name, broken]] of Object.entries(breaks).entries()) {
    // A schema of its own, which is looked at first.
    await sql.unsafe(`
      create schema broken_${index};
      create table broken_${index}.postings as table public.postings;
      create table broken_${index}.rail_bookings as table public.rail_bookings`);
    const copy = postgres(databaseUrl, {
      max: 1,
      connection: { search_path: `broken_${index}, public` },
    });
    await copy.unsafe(broken);
    t.equal((await verifyLedger(copy)).isSound, false, name);
    await copy.end({ timeout: 1 });
  }
});
