// The commit on a real Postgres: it stores all of a batch or nothing, and only for the owner of the partitions that
// builds on their positions.
import t, { type Test } from 'tap';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { classifyFailure, type StatementFailure } from '#store/postgres/classify-failure.js';
import {
  commitBatch,
  type CommitBatch,
  probeBatch,
} from '#store/postgres/payments/commit-batch.js';
import { readClaims } from '#store/postgres/payments/partition-leases.js';
import {
  at,
  buildCreatedEvent,
  buildBatch,
  buildMove,
  buildNewPayment,
  generatePaymentId,
} from '#test/support/actors/batches.js';
import { createDatabase } from '#test/support/servers.js';

const sql: Postgres = openPostgres(await createDatabase(t), 'test', 2);
t.teardown(() => sql.end());
await checkInstallation(sql, { partitions: 4, idKey: Buffer.alloc(32, 7) });

type Commit = (sql: Postgres, batch: CommitBatch) => Promise<void>;

async function failureOf(commit: Commit, batch: CommitBatch): Promise<StatementFailure | 'none'> {
  try {
    await commit(sql, batch);
    return 'none';
  } catch (error) {
    return classifyFailure(error);
  }
}

async function countRows(): Promise<unknown> {
  const [row] = await sql`
    select (select count(*)::int from payments) as payments,
           (select count(*)::int from payment_events) as events,
           (select count(*)::int from postings) as postings,
           (select count(*)::int from quarantined_commands) as quarantined,
           (select json_agg(p.* order by id) from partitions p) as partitions`;
  return row;
}

/** Expects that the commit fails in this way and stores nothing. */
async function expectFailure(
  t: Test,
  batch: CommitBatch,
  failure: StatementFailure,
  commit: Commit = commitBatch,
): Promise<void> {
  const before = await countRows();
  t.equal(await failureOf(commit, batch), failure);
  t.strictSame(await countRows(), before, 'nothing is stored');
}

t.test('a commit moves the position and stores the rows of the batch', async (t) => {
  const id = generatePaymentId();
  const to = at(1_000, 3);
  const batch = buildBatch(await buildMove(sql, 0, to));
  batch.created.push(buildNewPayment(id, { referenceId: 'a\u001fb "c" {d}', snapshot: '{"v":1}' }));
  batch.events.push(buildCreatedEvent(id, to));
  const money = { amountMinor: 15_000n, currency: 'IDR', reason: 'payment_paid' };
  const posting = { paymentId: id, version: 1, index: 0, debit: 'a', credit: 'b', ...money };
  batch.postings.push({ partition: 0, ...posting });
  batch.quarantined.push({
    partition: 0,
    position: to,
    index: 1,
    command: 'garbage',
    error: 'none',
  });
  await commitBatch(sql, batch);
  const [claim] = await readClaims(sql, [0]);
  t.strictSame(claim?.position, to);
  const [payment] =
    await sql`select reference_id, snapshot, version from payments where id = ${id}`;
  t.match(payment, { reference_id: 'a\u001fb "c" {d}', snapshot: '{"v":1}', version: 1 });
  t.strictSame(
    [...(await sql`select account, amount::int as amount from balances order by account`)],
    [
      { account: 'a', amount: -15_000 },
      { account: 'b', amount: 15_000 },
    ],
  );
});

t.test('a batch without rows moves its positions', async (t) => {
  await commitBatch(
    sql,
    buildBatch(await buildMove(sql, 1, at(5)), await buildMove(sql, 2, at(6))),
  );
  const claims = await readClaims(sql, [1, 2]);
  t.strictSame(claims.map(({ position }) => position.ms).sort(), [5n, 6n]);
});

t.test('a batch that is committed again is fenced', async (t) => {
  const batch = buildBatch(await buildMove(sql, 0, at(2_000)));
  await commitBatch(sql, batch);
  await expectFailure(t, batch, 'fenced');
});

t.test('a batch from an older position is fenced', async (t) => {
  const move = await buildMove(sql, 0, at(2_500));
  await expectFailure(t, buildBatch({ ...move, from: at(1_999) }), 'fenced');
  await expectFailure(t, buildBatch({ ...move, from: at(2_000, 1) }), 'fenced');
});

t.test('a batch with an older or a newer epoch is fenced', async (t) => {
  const move = await buildMove(sql, 0, at(3_000));
  await sql`update partitions set epoch = epoch + 1 where id = 0`;
  await expectFailure(t, buildBatch(move), 'fenced');
  await expectFailure(t, buildBatch({ ...move, epoch: move.epoch + 2n }), 'fenced');
  t.equal(await failureOf(commitBatch, buildBatch({ ...move, epoch: move.epoch + 1n })), 'none');
});

t.test('one lost partition fences the whole batch', async (t) => {
  const mine = await buildMove(sql, 0, at(4_000));
  const lost = await buildMove(sql, 1, at(4_000));
  const id = generatePaymentId();
  const batch = buildBatch(mine, { ...lost, epoch: lost.epoch + 1n });
  batch.created.push(buildNewPayment(id));
  batch.events.push(buildCreatedEvent(id, at(4_000)));
  await expectFailure(t, batch, 'fenced');
  t.equal(await failureOf(commitBatch, { ...batch, positions: [mine] }), 'none');
});

t.test('of two concurrent commits on one position, one is stored and one is fenced', async (t) => {
  const move = await buildMove(sql, 3, at(10));
  const results = await Promise.all([
    failureOf(commitBatch, buildBatch(move)),
    failureOf(commitBatch, buildBatch({ ...move, to: at(11) })),
  ]);
  t.strictSame(results.sort(), ['fenced', 'none']);
});

t.test(
  'a new payment that exists fails as exists, a change of another version as impossible',
  async (t) => {
    const id = generatePaymentId();
    const first = buildBatch(await buildMove(sql, 0, at(5_000)));
    first.created.push(buildNewPayment(id));
    await commitBatch(sql, first);
    const again = buildBatch(await buildMove(sql, 0, at(5_001)));
    again.created.push(buildNewPayment(id));
    await expectFailure(t, again, 'exists');
    const changed = buildBatch(await buildMove(sql, 0, at(5_001)));
    const change = { id, status: 'paid', paymentMethod: null, dueAtMs: null, snapshot: '{}' };
    changed.changed.push({ ...change, fromVersion: 2, version: 3 });
    await expectFailure(t, changed, 'impossible');
    changed.changed = [{ ...change, fromVersion: 1, version: 2 }];
    t.equal(await failureOf(commitBatch, changed), 'none');
  },
);

t.test('a row that Postgres refuses fails as refused', async (t) => {
  const move = await buildMove(sql, 0, at(6_000));
  const refused: Partial<ReturnType<typeof buildNewPayment>>[] = [
    { referenceId: 'a\u0000b' },
    { status: 'unheard_of' },
    { amountMinor: 0n },
    { amountMinor: 10n ** 20n },
  ];
  for (const changes of refused) {
    const batch = buildBatch(move);
    batch.created.push(
      buildNewPayment(generatePaymentId()),
      buildNewPayment(generatePaymentId(), changes),
    );
    await expectFailure(t, batch, 'refused');
  }
});

t.test('a repeated rail transaction or event position fails as refused', async (t) => {
  const first = buildBatch(await buildMove(sql, 0, at(7_000)));
  first.railTransactions.push({ rail: 'sandbox', transactionId: 'x', paymentId: 'pay_1' });
  await commitBatch(sql, first);
  const again = buildBatch(await buildMove(sql, 0, at(7_001)));
  again.railTransactions.push({ rail: 'sandbox', transactionId: 'x', paymentId: 'pay_2' });
  await expectFailure(t, again, 'refused');
  const twice = buildBatch(await buildMove(sql, 0, at(7_001)));
  twice.events.push(buildCreatedEvent('pay_1', at(7_001)), buildCreatedEvent('pay_2', at(7_001)));
  await expectFailure(t, twice, 'refused');
});

t.test('a probe stores nothing, whether it passes or fails', async (t) => {
  const before = await countRows();
  const id = generatePaymentId();
  const good = buildBatch(await buildMove(sql, 0, at(8_000)));
  good.created.push(buildNewPayment(id));
  good.events.push(buildCreatedEvent(id, at(8_000)));
  t.equal(await failureOf(probeBatch, good), 'none', 'it passes');
  t.strictSame(await countRows(), before);
  const bad = buildBatch(await buildMove(sql, 0, at(8_000)));
  bad.created.push(buildNewPayment(id, { referenceId: '\u0000' }));
  await expectFailure(t, bad, 'refused', probeBatch);
});

t.test('two commits that move the same balances in opposite order are both stored', async (t) => {
  const transfers = async (partition: number, debit: string, credit: string): Promise<void> => {
    for (let step = 1; step <= 20; step += 1) {
      const batch = buildBatch(await buildMove(sql, partition, at(9_000 + step)));
      const money = { amountMinor: 1n, currency: 'IDR', reason: 'payment_paid' };
      const paymentId = generatePaymentId();
      const of = { partition: 0, paymentId, version: 1, index: 0 };
      batch.postings.push({ ...of, debit, credit, ...money });
      await commitBatch(sql, batch);
    }
  };
  await Promise.all([transfers(1, 'x', 'y'), transfers(2, 'y', 'x')]);
  const rows = await sql`select amount::int as amount from balances where account in ('x', 'y')`;
  t.strictSame([...rows], [{ amount: 0 }, { amount: 0 }]);
});
