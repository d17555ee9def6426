// The one statement that makes a batch true (store/postgres/functions/payments.sql). Columns go as arrays: those
// of ids, codes, numbers and JSON as one joined text that the server splits, which spares both sides the
// quoting of array literals (JSON never holds a raw control character); free text as a real array.
import type { Position } from '#actors/core/partition.js';
import type { Postgres } from '../client.js';
import { joinColumn as join } from '../join-column.js';

/** Moves a partition's position from what it was at the fold to what the batch has read. */
export interface PositionMove {
  partition: number;
  epoch: bigint;
  from: Position;
  to: Position;
}

export interface NewPayment {
  id: string;
  merchantId: string;
  environment: string;
  status: string;
  amountMinor: bigint;
  currency: string;
  paymentMethod: string | null;
  referenceId: string | null;
  dueAtMs: number | null;
  version: number;
  snapshot: string;
}

export interface ChangedPayment {
  id: string;
  status: string;
  paymentMethod: string | null;
  dueAtMs: number | null;
  fromVersion: number;
  version: number;
  snapshot: string;
}

/** `index` counts within the position; both say where in commit order the event stands. */
export interface EventRow {
  partition: number;
  position: Position;
  index: number;
  paymentId: string;
  version: number;
  type: string;
  event: string;
  envelope: Envelope | null;
}

/** What merchants get of an event: `text` is what is signed and sent. */
export interface Envelope {
  merchantId: string;
  environment: string;
  text: string;
}

export interface RefundRow {
  id: string;
  paymentId: string;
  merchantId: string;
  environment: string;
  status: string;
}

export interface PostingRow {
  paymentId: string;
  version: number;
  index: number;
  debit: string;
  credit: string;
  amountMinor: bigint;
  currency: string;
  reason: string;
}

export interface RailTransactionRow {
  rail: string;
  transactionId: string;
  paymentId: string;
}

export interface RailCallRow {
  id: string;
  paymentId: string;
  rail: string;
  operation: string;
  request: string;
  dueAtMs: number;
}

export interface OperatorTaskRow {
  id: string;
  kind: string;
  paymentId: string | null;
  details: string;
}

export interface QuarantinedCommandRow {
  partition: number;
  position: Position;
  index: number;
  command: string;
  error: string;
}

export interface CommitBatch {
  atMs: number;
  positions: PositionMove[];
  created: NewPayment[];
  changed: ChangedPayment[];
  events: EventRow[];
  postings: PostingRow[];
  refunds: RefundRow[];
  railTransactions: RailTransactionRow[];
  railCalls: RailCallRow[];
  tasks: OperatorTaskRow[];
  quarantined: QuarantinedCommandRow[];
}

/**
 * Commits the whole batch or nothing of it.
 * @throws what `classifyFailure` tells apart
 */
export async function commitBatch(sql: Postgres, batch: CommitBatch): Promise<void> {
  const path = listPathArguments(sql, batch);
  const rows = hasConsequences(batch)
    ? await sql`select ${path}, ${listConsequenceArguments(sql, batch)}`
    : await sql`select ${path}`;
  // The driver could give a query of a lost connection the empty answer of another one.
  if (rows.length !== 1) throw new Error('a commit was not answered');
}

/** Asks the database whether it would take the batch, and keeps nothing of it. Rejects as `commitBatch`. */
export async function probeBatch(sql: Postgres, batch: CommitBatch): Promise<void> {
  try {
    await sql`
      select ${listPathArguments(sql, batch)}, ${listConsequenceArguments(sql, batch)}, undo_probe()`;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'KS000') return;
    throw error;
  }
}

function hasConsequences(batch: CommitBatch): boolean {
  return (
    batch.postings.length +
      batch.refunds.length +
      batch.railTransactions.length +
      batch.railCalls.length +
      batch.tasks.length +
      batch.quarantined.length >
    0
  );
}

function listPathArguments(sql: Postgres, batch: CommitBatch) {
  const { positions: p, created: n, changed: u, events: e } = batch;
  return sql`commit_batch(
    ${new Date(batch.atMs)}::timestamptz,
    split(${join(p, (row) => row.partition)})::smallint[],
    split(${join(p, (row) => row.epoch)})::bigint[],
    split(${join(p, (row) => row.from.ms)})::bigint[],
    split(${join(p, (row) => row.from.seq)})::bigint[],
    split(${join(p, (row) => row.to.ms)})::bigint[],
    split(${join(p, (row) => row.to.seq)})::bigint[],
    split(${join(n, (row) => row.id)}),
    split(${join(n, (row) => row.merchantId)}),
    split(${join(n, (row) => row.environment)}),
    split(${join(n, (row) => row.status)}),
    split(${join(n, (row) => row.amountMinor)})::bigint[],
    split(${join(n, (row) => row.currency)}),
    split(${join(n, (row) => row.paymentMethod)}),
    ${n.map((row) => row.referenceId)}::text[],
    split(${join(n, (row) => row.dueAtMs)})::bigint[],
    split(${join(n, (row) => row.version)})::integer[],
    split(${join(n, (row) => row.snapshot)}),
    split(${join(u, (row) => row.id)}),
    split(${join(u, (row) => row.status)}),
    split(${join(u, (row) => row.paymentMethod)}),
    split(${join(u, (row) => row.dueAtMs)})::bigint[],
    split(${join(u, (row) => row.fromVersion)})::integer[],
    split(${join(u, (row) => row.version)})::integer[],
    split(${join(u, (row) => row.snapshot)}),
    split(${join(e, (row) => row.partition)})::smallint[],
    split(${join(e, (row) => row.position.ms)})::bigint[],
    split(${join(e, (row) => row.position.seq)})::bigint[],
    split(${join(e, (row) => row.index)})::integer[],
    split(${join(e, (row) => row.paymentId)}),
    split(${join(e, (row) => row.version)})::integer[],
    split(${join(e, (row) => row.type)}),
    split(${join(e, (row) => row.event)}),
    split(${join(e, (row) => row.envelope?.merchantId ?? null)}),
    split(${join(e, (row) => row.envelope?.environment ?? null)}),
    split(${join(e, (row) => row.envelope?.text ?? null)}))`;
}

function listConsequenceArguments(sql: Postgres, batch: CommitBatch) {
  const {
    postings: g,
    refunds: r,
    railTransactions: t,
    railCalls: c,
    tasks: o,
    quarantined: k,
  } = batch;
  return sql`commit_consequences(
    ${new Date(batch.atMs)}::timestamptz,
    split(${join(g, (row) => row.paymentId)}),
    split(${join(g, (row) => row.version)})::integer[],
    split(${join(g, (row) => row.index)})::smallint[],
    split(${join(g, (row) => row.debit)}),
    split(${join(g, (row) => row.credit)}),
    split(${join(g, (row) => row.amountMinor)})::bigint[],
    split(${join(g, (row) => row.currency)}),
    split(${join(g, (row) => row.reason)}),
    split(${join(r, (row) => row.id)}),
    split(${join(r, (row) => row.paymentId)}),
    split(${join(r, (row) => row.merchantId)}),
    split(${join(r, (row) => row.environment)}),
    split(${join(r, (row) => row.status)}),
    split(${join(t, (row) => row.rail)}),
    ${t.map((row) => row.transactionId)}::text[],
    split(${join(t, (row) => row.paymentId)}),
    split(${join(c, (row) => row.id)}),
    split(${join(c, (row) => row.paymentId)}),
    split(${join(c, (row) => row.rail)}),
    split(${join(c, (row) => row.operation)}),
    split(${join(c, (row) => row.request)}),
    split(${join(c, (row) => new Date(row.dueAtMs).toISOString())})::timestamptz[],
    split(${join(o, (row) => row.id)}),
    split(${join(o, (row) => row.kind)}),
    split(${join(o, (row) => row.paymentId)}),
    split(${join(o, (row) => row.details)}),
    split(${join(k, (row) => row.partition)})::smallint[],
    split(${join(k, (row) => row.position.ms)})::bigint[],
    split(${join(k, (row) => row.position.seq)})::bigint[],
    split(${join(k, (row) => row.index)})::integer[],
    ${k.map((row) => row.command)}::text[],
    ${k.map((row) => row.error)}::text[])`;
}
