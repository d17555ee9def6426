// Deferred commands and the rows of balances on a real Postgres.
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { commitBatch } from '#store/postgres/payments/commit-batch.js';
import { findLockedRows, loadDeferred } from '#store/postgres/payments/deferred-commands.js';
import { at, buildBatch, buildMove, generatePaymentId } from '#test/support/actors/batches.js';
import { createDatabase } from '#test/support/servers.js';

const sql = openPostgres(await createDatabase(t), 'test', 2);
t.teardown(() => sql.end());
await checkInstallation(sql, { partitions: 4, idKey: Buffer.alloc(32, 7) });

t.test('a deferred command is resumed once', async (t) => {
  const position = at(20_000);
  const deferring = buildBatch(await buildMove(sql, 1, position));
  const key = { partition: 1, position, index: 0 };
  const sent = { source: 'gateway', sender: 'gw', correlation: 'c', command: 'text' };
  deferring.deferred.push({ ...key, paymentId: 'pay_1', ...sent });
  await commitBatch(sql, deferring);
  const { command: text, ...frame } = sent;
  t.strictSame(await loadDeferred(sql, [0, 1]), [{ ...key, paymentId: 'pay_1', ...frame, text }]);
  const resuming = buildBatch(await buildMove(sql, 1, at(20_001)));
  resuming.resumed.push(key);
  await commitBatch(sql, resuming);
  t.strictSame(await loadDeferred(sql, [0, 1]), []);
  const again = buildBatch(await buildMove(sql, 1, at(20_002)));
  again.resumed.push(key);
  await t.rejects(commitBatch(sql, again), { code: 'KS002' });
});

t.test('a rail account has a row per partition, and one balance', async (t) => {
  const account = 'rail_clearing:midtrans:LIVE:IDR';
  const merchant = 'merchant_available:mer_1:LIVE:IDR';
  for (const partition of [0, 2]) {
    const batch = buildBatch(await buildMove(sql, partition, at(30_000)));
    const ids = { partition, paymentId: generatePaymentId(), version: 1, index: 0 };
    const money = { amountMinor: 7n, currency: 'IDR', reason: 'payment_paid' };
    batch.postings.push({ ...ids, debit: account, credit: merchant, ...money });
    await commitBatch(sql, batch);
  }
  await sql`select post('booking', 'bok_1', 1, 'fees:midtrans:LIVE:IDR', ${account}, 3, 'IDR', 'fee')`;
  const rows = await sql`select shard, amount::int as amount from balance_rows
                          where account = ${account} order by shard desc`;
  t.match([...rows], [{ shard: 2, amount: -7 }, { shard: 0, amount: -7 }, { amount: 3 }]);
  t.ok(rows[2]?.['shard'] < 0, 'of a writer without a partition');
  t.strictSame(
    [
      ...(await sql`select account, amount::int as amount from balances
                    where account in (${account}, ${merchant}) order by account`),
    ],
    [
      { account: merchant, amount: 14 },
      { account, amount: -11 },
    ],
  );
  t.equal((await sql`select 1 from balance_rows where account = ${merchant}`).length, 1);
});

t.test('the rows that another transaction holds are found among those of a commit', async (t) => {
  const [held, free] = ['merchant_pending:mer_2:LIVE:IDR', 'merchant_pending:mer_3:LIVE:IDR'];
  await sql`insert into balance_rows (account, currency, amount) values (${held}, 'IDR', 1), (${free}, 'IDR', 1)`;
  const rows = { accounts: [held, free, 'merchant_pending:mer_4:LIVE:IDR'], paymentIds: ['pay_x'] };
  await sql.begin(async (tx) => {
    await tx`update balance_rows set amount = 2 where account = ${held}`;
    t.strictSame(await findLockedRows(sql, rows), [held]);
  });
  t.strictSame(await findLockedRows(sql, rows), []);
});
