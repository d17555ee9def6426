// The commit on a real Postgres: it stores all of a batch or nothing, and only for the owner of the partitions that
// builds on their positions.
import t, { type Test } from 'tap';
import { checkInstallation } from '#store/postgres/installation.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { classifyFailure, type StatementFailure } from '#store/postgres/classify-failure.js';
import {
  commitBatch,
  type CommitBatch,
  describeParameters,
  probeBatch,
} from '#store/postgres/payments/commit-batch.js';
import { readClaims } from '#store/postgres/payments/partition-leases.js';
import {
  at,
  AT_MS,
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
           (select count(*)::int from parked_commands) as parked,
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

t.test('the SQL functions have the parameters of the column table', async (t) => {
  for (const name of ['commit_batch', 'commit_consequences'] as const) {
    const [row] = await sql`
      select pg_get_function_arguments(${name}::regproc) as parameters`;
    t.equal(row?.['parameters'], describeParameters(name));
  }
});

t.test('each column of a row set is stored as itself', async (t) => {
  const [id, changedId] = [generatePaymentId(), generatePaymentId()];
  const first = buildBatch(await buildMove(sql, 3, at(10_000)));
  first.created.push(buildNewPayment(changedId));
  await commitBatch(sql, first);
  const dueAtMs = AT_MS + 1_234;
  const batch = buildBatch(await buildMove(sql, 3, at(10_001, 7)));
  const position = at(10_001, 7);
  const created = buildNewPayment(id, {
    ...{ merchantId: 'mer_c', environment: 'LIVE', status: 'paid', amountMinor: 31n },
    ...{ paymentMethod: 'QRIS', referenceId: 'ref', dueAtMs, version: 5, snapshot: '{"c":1}' },
  });
  batch.created.push(created);
  batch.changed.push({
    ...{ id: changedId, status: 'failed', paymentMethod: 'VA_BNI', dueAtMs: dueAtMs + 1 },
    ...{ fromVersion: 1, version: 2, snapshot: '{"u":1}' },
  });
  const envelope = '{"id":"evt_9","type":"payment.paid","created_at":"2026-01-01T00:00:00.000Z"}';
  batch.events.push({
    ...{ partition: 3, position, index: 4, paymentId: id, version: 6, type: 'payment_paid' },
    ...{ event: '{"e":1}', merchantId: 'mer_e', environment: 'TEST', envelope },
  });
  batch.postings.push({
    ...{ partition: 3, paymentId: id, version: 6, index: 2, debit: 'd:1', credit: 'c:1' },
    ...{ amountMinor: 17n, currency: 'IDR', reason: 'payment_paid' },
  });
  batch.refunds.push({
    ...{ id: 'ref_1', paymentId: id, merchantId: 'mer_r', environment: 'TEST', status: 'failed' },
    createdAtMs: AT_MS + 1,
  });
  batch.railTransactions.push({ rail: 'xendit', transactionId: 'tx\u001f9', paymentId: id });
  const request = '{"r":1}';
  const call = { id: 'call_1', paymentId: id, rail: 'midtrans', operation: 'charge', request };
  batch.railCalls.push({ ...call, waitedMs: 1 });
  const details = '{"d":1}';
  batch.tasks.push({ id: 'task_1', kind: 'settlement_unapplied', paymentId: id, details });
  const quarantined = { index: 8, command: 'command', error: 'error' };
  batch.quarantined.push({ partition: 3, position, ...quarantined });
  const sent = { source: 'rails', sender: 'r', correlation: '', command: 'later' };
  batch.deferred.push({ partition: 3, position, index: 9, paymentId: id, ...sent });
  await commitBatch(sql, batch);

  const at0 = new Date(AT_MS);
  const place = { partition: 3, position_ms: '10001', position_seq: '7' };
  const read = (table: string, column: string, value: string) =>
    sql`select * from ${sql(table)} where ${sql(column)} = ${value}`;
  t.match(await sql`select position_ms, position_seq from partitions where id = 3`, [
    { position_ms: '10001', position_seq: '7' },
  ]);
  t.match(await read('payments', 'id', id), [
    {
      ...{ merchant_id: 'mer_c', environment: 'LIVE', status: 'paid', amount: '31' },
      ...{ currency: 'IDR', payment_method: 'QRIS', reference_id: 'ref', created_at: at0 },
      ...{ due_at: new Date(dueAtMs), version: 5, snapshot: '{"c":1}' },
    },
  ]);
  t.match(await read('payments', 'id', changedId), [
    {
      ...{ status: 'failed', payment_method: 'VA_BNI', due_at: new Date(dueAtMs + 1) },
      ...{ version: 2, snapshot: '{"u":1}' },
    },
  ]);
  t.match(await read('payment_events', 'payment_id', id), [
    {
      ...{ ...place, index: 4, version: 6, type: 'payment_paid', event: '{"e":1}' },
      at: new Date(10_001),
      ...{ merchant_id: 'mer_e', environment: 'TEST', envelope },
    },
  ]);
  t.match(await read('postings', 'cause_id', id), [
    {
      ...{ cause_kind: 'payment', version: 6, index: 2, debit: 'd:1', credit: 'c:1' },
      ...{ amount: '17', currency: 'IDR', reason: 'payment_paid', at: at0 },
    },
  ]);
  t.match(await read('refunds', 'payment_id', id), [
    { id: 'ref_1', merchant_id: 'mer_r', environment: 'TEST', status: 'failed', created_at: at0 },
  ]);
  t.match(await read('rail_transactions', 'payment_id', id), [
    { rail: 'xendit', transaction_id: 'tx\u001f9' },
  ]);
  t.match(await read('rail_calls', 'payment_id', id), [
    {
      ...{ id: 'call_1', rail: 'midtrans', operation: 'charge', request },
      due_at: new Date(dueAtMs),
    },
  ]);
  t.match(await read('operator_tasks', 'payment_id', id), [
    { id: 'task_1', kind: 'settlement_unapplied', details, opened_at: at0 },
  ]);
  t.match(await read('parked_commands', 'command', 'command'), [{ ...place, ...quarantined }]);
  t.match(await read('deferred_commands', 'payment_id', id), [
    { ...place, index: 9, ...sent, deferred_at: at0 },
  ]);
});
