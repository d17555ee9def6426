// Payments that changed since the last reading, for pages that show them. A commit moves the position of its partition
// together with its events, so that a reading up to the position misses none.
import type { MerchantId } from '#actors/core/ids.js';
import type { Position } from '#actors/core/partition.js';
import type { Postgres } from '../client.js';
import { joinColumn } from '../join-column.js';
import type { Change, Changes } from './change.js';

/** Events of one partition in one reading. */
const MAX_EVENTS = 2_000;

/** Up to which position each partition was read. */
export type ReadPositions = ReadonlyMap<number, Position>;

export interface PaymentChanges extends Changes {
  readonly positions: ReadPositions;
}

interface PartitionRow {
  readonly partition: number;
  readonly ms: string;
  readonly seq: string;
  /** null: none. */
  readonly changes: readonly Change[] | null;
}

/**
 * Changes of these merchants behind `after`. An empty `after` finds none, and only the positions. Otherwise a partition that is not in it
 * came with a split since, and has no earlier events.
 */
export async function readPaymentChanges(
  sql: Postgres,
  after: ReadPositions,
  merchants: readonly MerchantId[],
): Promise<PaymentChanges> {
  const read = [...after];
  const list = (column: (position: Position) => bigint) =>
    joinColumn(read, ([, position]) => column(position));
  const unknownMs = read.length === 0 ? null : '0';
  const rows = await sql<PartitionRow[]>`
    select p.id as partition, p.position_ms::text as ms, p.position_seq::text as seq, e.changes
      from partitions p
      left join (select unnest(split(${joinColumn(read, ([partition]) => partition)})::smallint[]) as partition,
                        unnest(split(${list(({ ms }) => ms)})::bigint[]) as ms,
                        unnest(split(${list(({ seq }) => seq)})::bigint[]) as seq) as a on a.partition = p.id
     cross join lateral (
       select json_agg(e) as changes
         from (select e.payment_id as id, e.merchant_id as "merchantId", e.environment from payment_events e
                where e.partition = p.id and e.envelope is not null
                  and (e.position_ms, e.position_seq) > (coalesce(a.ms, ${unknownMs}::bigint), coalesce(a.seq, 0))
                  and (e.position_ms, e.position_seq) <= (p.position_ms, p.position_seq)
                  and e.merchant_id = any(${[...merchants]}::text[])
                limit ${MAX_EVENTS}) as e) as e`;
  return {
    positions: new Map(
      rows.map(({ partition, ms, seq }) => [partition, { ms: BigInt(ms), seq: BigInt(seq) }]),
    ),
    changes: rows.flatMap(({ changes }) => changes ?? []),
    isComplete: rows.every(({ changes }) => changes === null || changes.length < MAX_EVENTS),
  };
}
