// The commit in the model of Postgres: what commit_batch and commit_consequences do (store/postgres/functions/payments.sql),
// with the errors that they raise.
import { comparePositions, type Position } from '#actors/core/partition.js';
import type { CommitBatch } from '#store/postgres/payments/commit-batch.js';
import type { CallOperation } from '#store/postgres/rails/claim-calls.js';
import { buildSqlError } from './sql-error.js';
import type { Table, Tables } from './tables.js';

/** Stores the whole batch or nothing. `nowMs`: the server's clock. @throws the errors of Postgres */
export function commitToTables(tables: Tables, batch: CommitBatch, nowMs: number): void {
  tables.transact(() => {
    refuseNul(batch);
    movePositions(tables, batch);
    createPayments(tables, batch);
    changePayments(tables, batch);
    addEvents(tables, batch);
    addMoney(tables, batch);
    addConsequences(tables, batch);
    addRailCalls(tables, batch, nowMs);
  });
}

/** Would the batch be stored? Stores nothing. @throws the errors of Postgres */
export function probeTables(tables: Tables, batch: CommitBatch): void {
  const PASSED = new Error('the probe passed');
  try {
    tables.transact(() => {
      commitToTables(tables, batch, 0);
      throw PASSED;
    });
  } catch (error) {
    if (error !== PASSED) throw error;
  }
}

function refuseNul(batch: CommitBatch): void {
  const sets = Object.values(batch).filter((rows) => Array.isArray(rows));
  for (const row of sets.flat()) {
    const isRefused = Object.values(row).some(
      (value) => typeof value === 'string' && value.includes('\u0000'),
    );
    if (isRefused) throw buildSqlError('22021', 'invalid byte sequence for encoding "UTF8": 0x00');
  }
}

function movePositions(tables: Tables, { positions }: CommitBatch): void {
  if (positions.length === 0 || positions.some(({ from, to }) => comparePositions(to, from) <= 0)) {
    throw buildSqlError('KS002', 'a batch must raise the positions of its partitions');
  }
  for (const { partition, epoch, from, to } of positions) {
    const row = tables.partitions.get(partition);
    if (row?.epoch !== epoch || comparePositions(row.position, from) !== 0) {
      throw buildSqlError('KS001', 'a position or an epoch has moved');
    }
    tables.partitions.set(partition, { ...row, position: to });
  }
}

function createPayments(tables: Tables, { created }: CommitBatch): void {
  for (const row of created) {
    if (row.amountMinor <= 0n) throw buildSqlError('23514', 'payments_amount_check', 'payments');
  }
  for (const row of created) {
    if (tables.payments.has(row.id))
      throw buildSqlError('23505', 'duplicate key payments_pkey', 'payments');
    const { id, merchantId, environment, status, version, snapshot } = row;
    const { amountMinor, referenceId, dueAtMs } = row;
    const stored = { id, merchantId, environment, status, version, snapshot };
    tables.payments.set(id, { ...stored, amountMinor, referenceId, dueAtMs });
  }
}

function changePayments(tables: Tables, { changed }: CommitBatch): void {
  for (const { id, status, fromVersion, version, snapshot, dueAtMs } of changed) {
    const row = tables.payments.get(id);
    if (row?.version !== fromVersion) {
      throw buildSqlError('KS002', 'a snapshot was not folded from the stored version');
    }
    tables.payments.set(id, { ...row, status, version, snapshot, dueAtMs });
  }
}

export const formatPlace = (row: {
  partition: number;
  position: Position;
  index: number;
}): string => `${row.partition} ${row.position.ms}-${row.position.seq} ${row.index}`;

function insert<Row>(table: Table<string, Row>, name: string, key: string, row: Row): void {
  if (table.has(key)) throw buildSqlError('23505', `duplicate key ${key}`, name);
  table.set(key, row);
}

function addEvents(tables: Tables, { events }: CommitBatch): void {
  for (const row of events) {
    const atMs = Number(row.position.ms);
    insert(tables.events, 'payment_events', formatPlace(row), { ...row, atMs });
    if (row.envelope === null) continue;
    insert(tables.envelopes, 'payment_events', `${row.paymentId} ${row.version}`, row.envelope);
  }
}

function addMoney(tables: Tables, { postings }: CommitBatch): void {
  for (const row of postings) {
    const { paymentId, version, index, debit, credit, amountMinor } = row;
    if (debit === credit || amountMinor <= 0n) {
      throw buildSqlError('23514', 'postings_check', 'postings');
    }
    insert(tables.postings, 'postings', `${paymentId} ${version} ${index}`, row);
    tables.balances.set(debit, (tables.balances.get(debit) ?? 0n) - amountMinor);
    tables.balances.set(credit, (tables.balances.get(credit) ?? 0n) + amountMinor);
  }
}

function addRailCalls(tables: Tables, { railCalls }: CommitBatch, nowMs: number): void {
  for (const row of railCalls) {
    const payment = tables.payments.get(row.paymentId);
    if (payment === undefined || tables.railCalls.has(row.id)) continue;
    const { merchantId } = payment;
    // Parsed, since the column accepts any text.
    const operation = row.operation as CallOperation;
    const { waitedMs, ...call } = row;
    const times = { dueAtMs: nowMs, sentAtMs: null, begunAtMs: null, unknownAtMs: null };
    const wanted = { requestedAtMs: nowMs, commandedAtMs: nowMs - waitedMs };
    const stored = { ...call, ...times, ...wanted, merchantId, operation };
    tables.railCalls.set(row.id, { ...stored, state: 'due' });
  }
}

function addConsequences(tables: Tables, batch: CommitBatch): void {
  for (const row of batch.refunds) tables.refunds.set(row.id, row);
  for (const row of batch.railTransactions) {
    const key = `${row.rail} ${row.transactionId}`;
    insert(tables.railTransactions, 'rail_transactions', key, row);
  }
  for (const row of batch.tasks) {
    if (!tables.tasks.has(row.id)) tables.tasks.set(row.id, { ...row, status: 'open' });
  }
  for (const row of batch.quarantined) {
    insert(tables.quarantined, 'quarantined_commands', formatPlace(row), row);
  }
  for (const row of batch.deferred) {
    insert(tables.deferred, 'deferred_commands', formatPlace(row), row);
  }
  for (const row of batch.resumed) {
    if (!tables.deferred.has(formatPlace(row))) {
      throw buildSqlError('KS002', 'a resumed command is not stored');
    }
    tables.deferred.delete(formatPlace(row));
  }
}
