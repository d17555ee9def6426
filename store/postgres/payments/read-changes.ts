// Payments and payouts that changed since the last reading, for pages that show them. A commit moves the position of its
// partition together with its events, so that a reading up to the position misses none.
import type { Environment, MerchantId } from '#actors/core/ids.js';
import type { Position } from '#actors/core/partition.js';
import type { Postgres } from '../client.js';
import { joinColumn } from '../join-column.js';

/** Events of one partition in one reading. */
const MAX_EVENTS = 2_000;

/** Up to which position each partition was read. */
export type ReadPositions = ReadonlyMap<number, Position>;

export interface Change {
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  /** Of a payment or payout. */
  readonly id: string;
}

export interface Changes {
  readonly positions: ReadPositions;
  readonly changes: readonly Change[];
  /** false: there were more than could be read. */
  readonly isComplete: boolean;
}

interface ChangeRow {
  readonly partition: number;
  readonly ms: string;
  readonly seq: string;
  /** null: the partition has no change. */
  readonly id: string | null;
  readonly merchantId: MerchantId;
  readonly environment: Environment;
}

/** Changes of these merchants behind `after`; partitions that are not in it have none, and only tell their position. */
export async function readChanges(
  sql: Postgres,
  after: ReadPositions,
  merchants: readonly MerchantId[],
): Promise<Changes> {
  const read = [...after];
  const list = (column: (position: Position) => bigint) =>
    joinColumn(read, ([, position]) => column(position));
  const rows = await sql<ChangeRow[]>`
    select p.id as partition, p.position_ms::text as ms, p.position_seq::text as seq, e.payment_id as id,
           e.merchant_id as "merchantId", e.environment
      from partitions p
      left join (select unnest(split(${joinColumn(read, ([partition]) => partition)})::smallint[]) as partition,
                        unnest(split(${list(({ ms }) => ms)})::bigint[]) as ms,
                        unnest(split(${list(({ seq }) => seq)})::bigint[]) as seq) as a on a.partition = p.id
      left join lateral (
        select e.payment_id, e.merchant_id, e.environment from payment_events e
         where e.partition = p.id and e.envelope is not null
           and (e.position_ms, e.position_seq) > (a.ms, a.seq)
           and (e.position_ms, e.position_seq) <= (p.position_ms, p.position_seq)
           and e.merchant_id = any(${[...merchants]}::text[])
         limit ${MAX_EVENTS}) as e on true`;
  return {
    positions: new Map(
      rows.map(({ partition, ms, seq }) => [partition, { ms: BigInt(ms), seq: BigInt(seq) }]),
    ),
    changes: rows.flatMap(({ id, merchantId, environment }) =>
      id === null ? [] : [{ id, merchantId, environment }],
    ),
    isComplete: read.every(([partition]) => countOf(rows, partition) < MAX_EVENTS),
  };
}

const countOf = (rows: readonly ChangeRow[], of: number): number =>
  rows.filter(({ partition }) => partition === of).length;
