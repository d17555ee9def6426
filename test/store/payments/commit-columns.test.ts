// The rows of a commit on their way into Postgres: packed by the program, read by the functions that it made.
import t from 'tap';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { classifyFailure } from '#store/postgres/classify-failure.js';
import { LAYOUT, packRows } from '#store/postgres/payments/commit-columns.js';
import { commitBatch } from '#store/postgres/payments/commit-batch.js';
import {
  at,
  AT_MS,
  buildBatch,
  buildMove,
  buildNewPayment,
  generatePaymentId,
} from '#test/support/actors/batches.js';
import { createDatabase } from '#test/support/servers.js';

const sql: Postgres = openPostgres(await createDatabase(t), 'test', 1);
t.teardown(() => sql.end());
await checkInstallation(sql, { partitions: 4, idKey: Buffer.alloc(32, 7) });

t.test(
  'a commit whose rows have other columns is refused, and the process must exit',
  async (t) => {
    const move = await buildMove(sql, 1, at(9_500));
    const packed = packRows('positions', [move]);
    const commit = (layout: string) => sql`select commit_batch(${layout}, ${packed}, '', '', '')`;
    const error: unknown = await commit('0123456789abcdef').catch((reason: unknown) => reason);
    t.equal(classifyFailure(error), 'impossible');
    t.match(String(error), /migrate the database to the version of this process/);
    await t.resolves(commit(LAYOUT));
  },
);

t.test('a text of a merchant is stored with the characters that separate rows', async (t) => {
  const texts = [
    '',
    '\u001d',
    '\u001e',
    '\u001f',
    '\u001da\u001eb\u001fc\u001d\u001d',
    '=',
    'é 🦊',
    null,
  ];
  const ids = texts.map(() => generatePaymentId());
  const batch = buildBatch(await buildMove(sql, 1, at(9_600)));
  texts.forEach((referenceId, index) => {
    batch.created.push(buildNewPayment(ids[index] ?? '', { referenceId }));
  });
  await commitBatch(sql, batch);
  const rows = await sql<{ id: string; text: string | null }[]>`
    select id, reference_id as text from payments where id = any(${ids})`;
  const stored = new Map(rows.map(({ id, text }) => [id, text]));
  t.strictSame(
    ids.map((id) => stored.get(id)),
    texts,
  );
});

t.test('a row whose ids contain a separator is refused', async (t) => {
  for (const id of ['pay_\u001fx', 'pay_\u001ex']) {
    const batch = buildBatch(await buildMove(sql, 1, at(9_700)));
    batch.created.push(buildNewPayment(generatePaymentId()), buildNewPayment(id));
    const error: unknown = await commitBatch(sql, batch).catch((reason: unknown) => reason);
    t.equal(classifyFailure(error), 'refused');
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
  t.match(await read('quarantined_commands', 'command', 'command'), [{ ...place, ...quarantined }]);
  t.match(await read('deferred_commands', 'payment_id', id), [
    { ...place, index: 9, ...sent, deferred_at: at0 },
  ]);
});
