// The partitions as operators see them: their owners, and how far their streams are committed.
import type { Position } from '#actors/core/partition.js';
import type { Postgres } from '../client.js';

export interface ListedPartition {
  readonly partition: number;
  /** null: the last owner gave it up. */
  readonly owner: string | null;
  /** The owner has a valid lease. */
  readonly isOwned: boolean;
  readonly epoch: bigint;
  readonly position: Position;
  /** Of the frame before which its last owner stopped; null: it did not stop. */
  readonly stoppedVersion: number | null;
}

interface Row {
  readonly id: number;
  readonly owner: string | null;
  readonly is_owned: boolean;
  readonly epoch: string;
  readonly position_ms: string;
  readonly position_seq: string;
  readonly stopped_version: number | null;
}

export async function listPartitions(sql: Postgres): Promise<ListedPartition[]> {
  const rows = await sql<Row[]>`
    select p.id, p.owner, coalesce(w.lease_until > now(), false) as is_owned, p.epoch, p.position_ms,
           p.position_seq, p.stopped_version
      from partitions p left join payments_processes w on w.name = p.owner order by p.id`;
  return rows.map((row) => ({
    partition: row.id,
    owner: row.owner,
    isOwned: row.is_owned,
    epoch: BigInt(row.epoch),
    position: { ms: BigInt(row.position_ms), seq: BigInt(row.position_seq) },
    stoppedVersion: row.stopped_version,
  }));
}

/** The payments processes with a valid lease. */
export async function countPaymentsProcesses(sql: Postgres): Promise<number> {
  const rows = await sql<{ count: number }[]>`
    select count(*)::integer as count from payments_processes where lease_until > now()`;
  return rows[0]?.count ?? 0;
}
