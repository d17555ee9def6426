// Quarantined commands as operators see them (docs/decisions/0005-quarantine-poison-commands.md). One that was appended to its
// stream again leaves the quarantine; if it cannot be applied again, the next commit quarantines it under its new place.
import type { Position } from '#actors/core/partition.js';
import type { Postgres } from '../client.js';

/** The place of a command in the streams. */
export interface CommandPlace {
  readonly partition: number;
  readonly position: Position;
  /** The command's number within its frame. */
  readonly index: number;
}

export interface QuarantinedCommand extends CommandPlace {
  readonly command: string;
  readonly error: string;
  readonly quarantinedAt: Date;
}

interface Row {
  readonly partition: number;
  readonly position_ms: string;
  readonly position_seq: string;
  readonly index: number;
  readonly command: string;
  readonly error: string;
  readonly quarantined_at: Date;
}

const readRow = (row: Row): QuarantinedCommand => ({
  partition: row.partition,
  position: { ms: BigInt(row.position_ms), seq: BigInt(row.position_seq) },
  index: row.index,
  command: row.command,
  error: row.error,
  quarantinedAt: row.quarantined_at,
});

/** Newest first. */
export async function listQuarantined(sql: Postgres, limit: number): Promise<QuarantinedCommand[]> {
  const rows = await sql<Row[]>`
    select * from quarantined_commands
     order by quarantined_at desc, partition, position_ms, position_seq, index limit ${limit}`;
  return rows.map(readRow);
}

export async function findQuarantined(
  sql: Postgres,
  place: CommandPlace,
): Promise<QuarantinedCommand | undefined> {
  const rows = await sql<Row[]>`select * from quarantined_commands where ${isAt(sql, place)}`;
  return rows.map(readRow)[0];
}

export interface Retry {
  readonly actor: string;
  readonly paymentId: string;
  readonly type: string;
  /** The new place of its frame. */
  readonly appendedAt: string;
  readonly formerly: string;
}

/** Ends the quarantine of a command that was appended again. The audit log has it, without what the command contains. */
export async function endQuarantine(
  sql: Postgres,
  place: CommandPlace,
  { actor, paymentId, type, appendedAt, formerly }: Retry,
): Promise<void> {
  await sql`
    with ended as (
      delete from quarantined_commands where ${isAt(sql, place)} returning quarantined_at)
    insert into audit_log (chain, actor, action, target, after)
    select coalesce((select merchant_id from payments where id = ${paymentId}), ''), ${actor}::text,
           'commands.retry', ${paymentId}::text,
           json_build_object('type', ${type}::text, 'formerly', ${formerly}::text, 'appended_at', ${appendedAt}::text,
                             'quarantined_at', quarantined_at)::text
      from ended`;
}

const isAt = (sql: Postgres, { partition, position: { ms, seq }, index }: CommandPlace) => sql`
  partition = ${partition} and position_ms = ${String(ms)}::bigint and position_seq = ${String(seq)}::bigint
  and index = ${index}`;

export interface FrameOutcome {
  /** A commit has moved the position over the frame. */
  readonly isCommitted: boolean;
  /** Why its command was quarantined again; null: it was not. */
  readonly error: string | null;
  readonly isDeferred: boolean;
}

/** The outcome of a frame with one command. */
export async function readOutcome(
  sql: Postgres,
  { partition, position: { ms, seq } }: Omit<CommandPlace, 'index'>,
): Promise<FrameOutcome> {
  const isFrame = sql`
    partition = ${partition} and position_ms = ${String(ms)}::bigint and position_seq = ${String(seq)}::bigint`;
  const rows = await sql<FrameOutcome[]>`
    select (position_ms, position_seq) >= (${String(ms)}::bigint, ${String(seq)}::bigint) as "isCommitted",
           (select error from quarantined_commands where ${isFrame} limit 1) as error,
           exists (select from deferred_commands where ${isFrame}) as "isDeferred"
      from partitions where id = ${partition}`;
  return rows[0] ?? { isCommitted: false, error: null, isDeferred: false };
}

/** null: there is no such payment. */
export async function readPaymentVersion(sql: Postgres, paymentId: string): Promise<number | null> {
  const rows = await sql<
    { version: number }[]
  >`select version from payments where id = ${paymentId}`;
  return rows[0]?.version ?? null;
}
