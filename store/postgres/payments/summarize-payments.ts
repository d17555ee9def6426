// How many of a merchant's payments match a filter, and what they come to, by status. Each status is read from its index,
// pending ones in the order in which they expire, so that a rare status is whole beside a frequent one. A read ends at a
// limit: the figures are then the least that there is.
import type { ShownStatus } from '#actors/core/statuses.js';
import type { Postgres } from '../client.js';
import {
  filterByIndex,
  filterOthers,
  INDEXED_STATUSES,
  orderByStatus,
  type PaymentFilter,
} from './list-payments.js';

/** Of each status, or of the words of a search. */
export const MAX_SUMMED = 10_000;
/** Held payments are among those that are due, so more of these are read for the pending ones. */
const MAX_DUE = 20_000;

export interface StatusSum {
  /** null: rows that another condition leaves out. */
  readonly status: ShownStatus | null;
  readonly count: number;
  readonly amount: string;
  /** False: there may be more. */
  readonly isComplete: boolean;
}

/** A status without payments may be left out. */
export async function summarizePayments(
  sql: Postgres,
  filter: Omit<PaymentFilter, 'status'>,
): Promise<StatusSum[]> {
  const all = { ...filter, status: null };
  if (filter.search !== null) return sumRows(sql, all, selectFound(sql, all, filter.search));
  if (filter.referenceId !== null) return sumRows(sql, all, selectByIndex(sql, all));
  return sumStatuses(sql, all);
}

type Rows = ReturnType<typeof selectByIndex>;

/** Sums bounded rows of all statuses. */
function sumRows(sql: Postgres, filter: PaymentFilter, rows: Rows): Promise<StatusSum[]> {
  const wanted = filterOthers(sql, filter) ?? sql`true`;
  return sql<StatusSum[]>`
    with scanned as materialized (${rows})
    select case status when 'creating' then 'pending' else status end as status,
           count(*) filter (where ${wanted})::int as count,
           coalesce(sum(amount) filter (where ${wanted}), 0)::text as amount,
           (select count(*) < ${MAX_SUMMED} from scanned) as "isComplete"
      from scanned group by 1`;
}

const limitSummed = (sql: Postgres) => sql.unsafe(`limit ${MAX_SUMMED}`);

const selectByIndex = (sql: Postgres, filter: PaymentFilter) => sql`
  select status, amount, payment_method, snapshot from payments where ${filterByIndex(sql, filter, null)}
   order by created_at desc, id desc ${limitSummed(sql)}`;

/** The condition of the index of words (search-payments.ts). All hits are counted, also those of other times and references. */
function selectFound(sql: Postgres, filter: PaymentFilter, words: string) {
  const { merchantId, environment } = filter;
  return sql`
    select p.* from (
      select payment_id from payment_search
       where terms @@ ${words}::tsquery and (merchant_id || environment) = ${merchantId + environment}
       ${limitSummed(sql)}) as s
      left join lateral (
        select status, amount, payment_method, snapshot from payments
         where id = s.payment_id and ${filterByIndex(sql, filter, null)} offset 0) as p on true`;
}

function sumStatuses(sql: Postgres, filter: PaymentFilter): Promise<StatusSum[]> {
  const parts = INDEXED_STATUSES.map((status) => {
    const own = { ...filter, status };
    const rows = sql`
      select status, amount, payment_method, snapshot from payments where ${filterByIndex(sql, own, null)}
       order by ${orderByStatus(sql, status)} ${limitSummed(sql)}`;
    return sumPart(sql, own, rows, MAX_SUMMED);
  });
  const due = sumPart(sql, { ...filter, status: 'pending' }, selectDue(sql, filter), MAX_DUE);
  return sql<StatusSum[]>`${parts.reduce((all, part) => sql`${all} union all ${part}`, due)}`;
}

/** `limit`: of the rows. */
function sumPart(
  sql: Postgres,
  filter: PaymentFilter & { readonly status: ShownStatus },
  rows: Rows,
  limit: number,
) {
  const wanted = filterOthers(sql, filter) ?? sql`true`;
  return sql`
    select ${filter.status}::text as status, count(*) filter (where ${wanted})::int as count,
           coalesce(sum(amount) filter (where ${wanted}), 0)::text as amount,
           count(*) < ${limit} as "isComplete"
      from (${rows}) as scanned`;
}

/** Payments that are due, the next first: a pending one is due when it expires. The times are no condition of this index. */
function selectDue(sql: Postgres, filter: PaymentFilter) {
  const { merchantId, environment, createdFromMs: fromMs, createdToMs: toMs } = filter;
  return sql`
    select case when ${fromMs === null ? sql`true` : sql`created_at >= ${new Date(fromMs)}`}
                 and ${toMs === null ? sql`true` : sql`created_at < ${new Date(toMs)}`}
                then status end as status, amount, payment_method, snapshot
      from payments
     where (environment || ' ' || merchant_id) = ${`${environment} ${merchantId}`} and due_at is not null
     order by due_at ${sql.unsafe(`limit ${MAX_DUE}`)}`;
}
