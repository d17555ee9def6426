// The movements of a merchant's accounts by page, newest first, for the statement on a page. A posting between two accounts of
// the merchant is two movements. Movements of one time are ordered by their cause, its version and their index.
import type { Postgres } from '../client.js';
import type { FoundRows, Page, PagePlace } from '../page.js';

export interface MovementFilter {
  /** The keys of accounts of one merchant and environment, none of a rail. */
  readonly accounts: readonly string[];
  /** Included. */
  readonly from: Date | null;
  /** Not included. */
  readonly to: Date | null;
}

export interface ListedMovement extends PagePlace {
  readonly at: Date;
  readonly account: string;
  /** Negative: taken from the account. */
  readonly amount: string;
  readonly currency: string;
  readonly reason: string;
  readonly causeKind: 'payment' | 'payout' | 'task' | 'booking' | 'approval';
  readonly causeId: string;
  /** Of the cause. */
  readonly version: number;
  /** Of the posting within the version. */
  readonly index: number;
  /** 1: the account is credited; 0: it is debited. */
  readonly side: number;
}

interface Row extends Omit<ListedMovement, 'atMs' | 'id'> {
  /** Microseconds of `at` within its millisecond, which a Date does not hold. */
  readonly micros: number;
}

type Position = Pick<Row, 'at' | 'micros' | 'causeId' | 'version' | 'index' | 'side'>;

/** Each account is read from its index, at most one page of it. */
export async function listMovements(
  sql: Postgres,
  { accounts, from, to }: MovementFilter,
  { limit, after }: Page,
): Promise<FoundRows<ListedMovement>> {
  const position = after === null ? null : readPosition(after);
  if (position === undefined) return { rows: [], stoppedAt: null };
  // Plans are generic: the index takes a bound, but no `is null`.
  const within = sql`at >= ${from?.toISOString() ?? '-infinity'}::text::timestamptz
                     and at < ${to?.toISOString() ?? 'infinity'}::text::timestamptz`;
  const read = (side: 'credit' | 'debit') => sql`
    (select at, ${side === 'credit' ? sql`amount` : sql`-amount`} as amount, currency, reason, cause_kind,
            cause_id, version, index, ${side === 'credit' ? 1 : 0}::integer as side
       from postings
      where ${sql(side)} = a.account and ${sql(side)} not like 'rail\\_clearing:%' and ${within}
            ${position === null ? sql`` : filterBehind(sql, position, side)}
      order by at desc, cause_id desc, version desc, index desc limit ${limit + 1})`;
  const rows = await sql<Row[]>`
    select at, (extract(microseconds from at)::integer % 1000) as micros, account, amount::text as amount,
           currency, reason, cause_kind as "causeKind", cause_id as "causeId", version, index, side
      from unnest(${[...accounts]}::text[]) as a (account)
           cross join lateral (${read('credit')} union all ${read('debit')}) as moved
     order by at desc, cause_id desc, version desc, index desc, side desc limit ${limit + 1}`;
  return { rows: rows.map(addPlace), stoppedAt: null };
}

function filterBehind(sql: Postgres, position: Position, side: 'credit' | 'debit') {
  const { at, micros, causeId, version, index } = position;
  const time = `${at.toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
  // Of the same posting, the debit follows the credit.
  const isBehind = side === 'debit' && position.side === 1;
  return sql`
    and (at, cause_id, version, index) ${isBehind ? sql`<=` : sql`<`}
        (${time}::text::timestamptz, ${causeId}, ${version}, ${index})`;
}

const addPlace = (row: Row): ListedMovement => ({
  ...row,
  atMs: row.at.getTime(),
  id: [row.micros, row.version, row.index, row.side, row.causeId].join('_'),
});

const PLACE = /^(\d{1,3})_(\d{1,9})_(\d{1,4})_([01])_(.+)$/;

/** undefined: it is no place of this list. */
function readPosition({ atMs, id }: PagePlace): Position | undefined {
  const [, micros, version, index, side, causeId] = PLACE.exec(id) ?? [];
  if (causeId === undefined) return undefined;
  const numbers = { micros: Number(micros), version: Number(version), index: Number(index) };
  return { at: new Date(atMs), ...numbers, side: Number(side), causeId };
}
