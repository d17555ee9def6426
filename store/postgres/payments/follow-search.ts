// Makes committed payments searchable (store/postgres/schema/0020_payment_search.sql). A create has no event row: the payment
// itself tells that it was created, at the time of its command, which is the time of a position in the stream of its
// partition. So all payments of a partition up to its committed position are stored, except creates that are deferred. A
// round reads the payments of all merchants between the cursors and these positions from the index of their lists, since an
// index of payments by time would cost each create. It can be repeated: words are stored once, and a cursor only moves on.
import { listTerms } from '#actors/core/payment/search-words.js';
import type { Postgres } from '../client.js';
import { joinColumn } from '../join-column.js';

export interface FollowedSearch {
  readonly payments: number;
  /** More payments wait. */
  readonly hasMore: boolean;
  /** Ids of payments that cannot be searched, because their snapshots cannot be read. */
  readonly unreadable: readonly string[];
}

interface Move {
  readonly partition: number;
  /** The cursor. */
  readonly from: number;
  readonly ms: number;
  readonly seq: string;
}

interface Found {
  readonly id: string;
  readonly snapshot: string;
}

interface TermsRow {
  readonly id: string;
  readonly terms: readonly string[];
}

/** Empty: the snapshot cannot be read. It must not hold up other payments. */
function readTerms({ id, snapshot }: Found): TermsRow[] {
  try {
    return [{ id, terms: listTerms(snapshot) }];
  } catch {
    return [];
  }
}

/** Adds the words of about `most` payments, the oldest first. Without new positions it writes nothing. */
export async function followSearch(sql: Postgres, most: number): Promise<FollowedSearch> {
  const moves = await listMoves(sql);
  if (moves.length === 0) return { payments: 0, hasMore: false, unreadable: [] };
  const span = {
    fromMs: Math.min(...moves.map(({ from }) => from)),
    toMs: Math.max(...moves.map(({ ms }) => ms)),
  };
  const { found, endMs } = await findPayments(sql, span, most);
  // More than `most` payments of one millisecond.
  if (endMs !== null && endMs <= span.fromMs) return followSearch(sql, most * 4);
  const reached = endMs === null ? moves : moves.map((move) => cutMove(move, endMs));
  const rows = found.flatMap(readTerms);
  await storeTerms(sql, rows, reached);
  const readable = new Set(rows.map(({ id }) => id));
  const unreadable = found.map(({ id }) => id).filter((id) => !readable.has(id));
  return { payments: found.length, hasMore: endMs !== null, unreadable };
}

const cutMove = (move: Move, endMs: number): Move =>
  move.ms < endMs ? move : { ...move, ms: Math.max(endMs, move.from), seq: '0' };

/** Cursors that are behind the position of their partition. A create that is deferred holds its cursor up. */
async function listMoves(sql: Postgres): Promise<Move[]> {
  return sql<Move[]>`
    select c.partition, c.position_ms::float8 as from, t.ms::float8 as ms, t.seq::text as seq
      from payment_search_cursors c
      join partitions p on p.id = c.partition
     cross join lateral (
       select d.position_ms from deferred_commands d
        where d.partition = c.partition and strpos(d.command, '"type":"create"') > 0
       union all select null
        order by 1 limit 1) d
     cross join lateral (
       select least(p.position_ms, d.position_ms) as ms,
              case when d.position_ms is null then p.position_seq else 0 end as seq) t
     where (t.ms, t.seq) > (c.position_ms, c.position_seq)`;
}

/**
 * The payments of a span of time that are not searchable yet. `endMs`: they are all before this time; null: it is the whole
 * span. The span is cut where the payments of one merchant, or of all of them, reach `most`. Their words are looked for with
 * `limit 1`, so that no plan reads others.
 */
async function findPayments(
  sql: Postgres,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  most: number,
): Promise<{ found: Found[]; endMs: number | null }> {
  const rows = await sql<(Found & { readonly cut: Date | null })[]>`
    with reached as materialized (
      select p.*
        from merchants m
       cross join (values ('TEST'), ('LIVE')) as e (environment)
       cross join lateral (
         select p.id, p.merchant_id, p.environment, p.created_at,
                row_number() over (order by p.created_at, p.id) as n
           from payments p
          where p.merchant_id = m.id and p.environment = e.environment
            and p.created_at >= ${new Date(fromMs)} and p.created_at < ${new Date(toMs + 1)}
          order by p.created_at, p.id limit ${most}) p),
    cut as materialized (
      select least((select min(created_at) from reached where n = ${most}),
                   (select created_at from reached order by created_at offset ${most} limit 1)) as at)
    select c.at as cut, '' as id, '' as snapshot from cut c
    union all
    select null, p.id, p.snapshot
      from cut c cross join reached r
      left join lateral (
        select true as is_stored from payment_search s
         where s.merchant_id = r.merchant_id and s.environment = r.environment
           and s.created_at = r.created_at and s.payment_id = r.id limit 1) s on true
     cross join lateral (select id, snapshot from payments where id = r.id) p
     where (c.at is null or r.created_at < c.at) and s.is_stored is null`;
  const cut = rows.find(({ id }) => id === '')?.cut ?? null;
  return { found: rows.filter(({ id }) => id !== ''), endMs: cut?.getTime() ?? null };
}

/**
 * Stores the words and moves the cursors in one statement. The words of a payment that was erased since it was read are stored by
 * its erasure, before or after: they are not replaced here, and replace what is stored here.
 */
async function storeTerms(
  sql: Postgres,
  rows: readonly TermsRow[],
  moves: readonly Move[],
): Promise<void> {
  await sql`
    with added as (
      insert into payment_search (merchant_id, environment, created_at, payment_id, terms)
      select p.merchant_id, p.environment, p.created_at, p.id, array_to_tsvector(string_to_array(r.terms, ' '))
        from unnest(split(${joinColumn(rows, ({ id }) => id)}),
                    split(${joinColumn(rows, joinTerms)})) as r (id, terms)
       cross join lateral (select * from payments where id = r.id) p
       order by 1, 2, 3, 4
      on conflict do nothing)
    update payment_search_cursors c set position_ms = m.ms, position_seq = m.seq
      from (select unnest(split(${joinColumn(moves, (one) => one.partition)})::smallint[]) as partition,
                   unnest(split(${joinColumn(moves, ({ ms }) => ms)})::bigint[]) as ms,
                   unnest(split(${joinColumn(moves, ({ seq }) => seq)})::bigint[]) as seq) m
     where c.partition = m.partition and (c.position_ms, c.position_seq) < (m.ms, m.seq)`;
}

/** A word holds no space. */
const joinTerms = ({ terms }: TermsRow): string => terms.join(' ');
