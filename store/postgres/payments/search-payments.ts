// A page of the payments that hold some words. The index of words has no order, and the index of the list knows no words, so
// a search goes these ways, each of them bounded:
//
//   STATUS   the newest payments of a status are looked through: also finds a page of a status that is rare
//   NEWEST   the newest payments are looked through: finds a page of words that are frequent there
//   WORDS    all payments with the words are sorted: finds words that are rare
//   SCAN     many payments are looked through: words that are frequent, but not among the newest. The page may stay empty,
//            and the next one goes on behind it
import type { Environment, MerchantId } from '#actors/core/ids.js';
import type { PendingQuery, Row } from 'postgres';
import type { Postgres } from '../client.js';
import { type FoundRows, buildScanLimit, type Page, type PagePlace } from '../page.js';

/** Looking through so many takes 5 ms. */
const NEWEST = 2_000;
/** Sorting so many takes 40 ms. */
const MAX_FOUND = 20_000;

export interface SearchFilter {
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  /** A query of words (actors/core/payment/search-words.ts). */
  readonly search: string;
  readonly referenceId: string | null;
  readonly createdFromMs: number | null;
  readonly createdToMs: number | null;
}

interface FoundPayment extends PagePlace {
  readonly snapshot: string;
}

/** A part of a statement. */
type Fragment = PendingQuery<Row[]>;

/** Further conditions on columns of payments; each begins with `and`. */
export interface SearchConditions {
  /** On a status that has an index, which has the status before the time (orderByStatus); null: none. */
  readonly status: Fragment | null;
  readonly others: Fragment;
}

interface Search extends Page {
  readonly filter: SearchFilter;
  /** Conditions on columns of payments. */
  readonly wanted: Fragment;
}

/** Newest first. */
export async function searchPayments(
  sql: Postgres,
  filter: SearchFilter,
  page: Page,
  { status, others }: SearchConditions,
): Promise<FoundRows<FoundPayment>> {
  const reference = filter.referenceId;
  const wanted = sql`true ${status ?? sql``} ${others} ${reference === null ? sql`` : sql`and reference_id = ${reference}`}`;
  const search = { ...page, filter, wanted };
  const ofStatus = status === null ? null : await findByStatus(sql, search, status);
  if (ofStatus !== null) return { rows: ofStatus, stoppedAt: null };
  const newest = await lookThrough(sql, search, sql`limit ${sql.unsafe(String(NEWEST))}`);
  if (newest.length > page.limit) return { rows: newest, stoppedAt: null };
  const found = await findByWords(sql, search);
  if (found !== null) return { rows: found, stoppedAt: null };
  const bound = buildScanLimit(sql);
  const rows = await lookThrough(sql, search, sql`${bound.rows}`);
  if (rows.length > page.limit) return { rows, stoppedAt: null };
  const [last] = await sql<{ id: string; created_at: Date }[]>`
    select payment_id as id, created_at from payment_search
     where ${filterByIndex(sql, search)} order by created_at desc, payment_id desc ${bound.last}`;
  return { rows, stoppedAt: last === undefined ? null : buildPlace(last) };
}

/** null: the page is not full, and there are more payments of the status than are looked through. */
async function findByStatus(
  sql: Postgres,
  search: Search,
  status: Fragment,
): Promise<FoundPayment[] | null> {
  const words = search.filter.search;
  const among = sql`${filterByIndex(sql, search, sql`id`)} ${status}`;
  const newest = sql.unsafe(String(NEWEST));
  const rows = await sql<PaymentRow[]>`
    select p.id, p.created_at, p.snapshot from (
      select status, created_at, id as payment_id from payments
       where ${among} order by status desc, created_at desc, id desc limit ${newest}) as s
     cross join lateral (${selectTerms(sql, search)}) as w
     cross join lateral (${selectPayment(sql, search)}) as p
     where w.terms @@ ${words}::tsquery
     order by s.status desc, s.created_at desc, s.payment_id desc limit ${search.limit + 1}`;
  if (rows.length > search.limit) return rows.map(addPlace);
  const [further] = await sql`
    select from payments
     where ${among} order by status desc, created_at desc, id desc offset ${newest} limit 1`;
  return further === undefined ? rows.map(addPlace) : null;
}

/**
 * The payments with the words among the newest ones up to a limit. Their places are read before their words: the index of the
 * places holds all that is needed, so no plan reads and sorts all payments of a merchant that has more than others.
 */
async function lookThrough(
  sql: Postgres,
  search: Search,
  limit: Fragment,
): Promise<FoundPayment[]> {
  const rows = await sql<PaymentRow[]>`
    select p.id, p.created_at, p.snapshot from (
      select created_at, payment_id from payment_search
       where ${filterByIndex(sql, search)} order by created_at desc, payment_id desc ${limit}) as s
     cross join lateral (${selectTerms(sql, search)}) as w
     cross join lateral (${selectPayment(sql, search)}) as p
     where w.terms @@ ${search.filter.search}::tsquery
     order by s.created_at desc, s.payment_id desc limit ${search.limit + 1}`;
  return rows.map(addPlace);
}

/**
 * null: there are too many to sort. The index of words is the only one that this condition fits: with that of the list, a plan
 * for many small merchants would read all payments of a large one.
 */
async function findByWords(sql: Postgres, search: Search): Promise<FoundPayment[] | null> {
  const { merchantId, environment, search: words } = search.filter;
  const rows = await sql<HitRow[]>`
    with hits as materialized (
      select created_at, payment_id from payment_search
       where terms @@ ${words}::tsquery and (merchant_id || environment) = ${merchantId + environment}
         and ${filterTimes(sql, search)}
       limit ${sql.unsafe(String(MAX_FOUND + 1))})
    select h.hits, f.* from (select count(*)::int as hits from hits) h
      left join lateral (
        select p.* from (select * from hits order by created_at desc, payment_id desc) as s
         cross join lateral (${selectPayment(sql, search)}) as p
         order by s.created_at desc, s.payment_id desc limit ${search.limit + 1}) f on h.hits <= ${MAX_FOUND}`;
  if ((rows[0]?.hits ?? 0) > MAX_FOUND) return null;
  return rows.flatMap((row) => (row.id === null ? [] : [addPlace(row)]));
}

interface PaymentRow {
  readonly id: string;
  readonly created_at: Date;
  readonly snapshot: string;
}

/** Without a payment there is one row, with the number of hits. */
type HitRow = { readonly hits: number } & (PaymentRow | { readonly id: null });

const buildPlace = ({ id, created_at: createdAt }: Omit<PaymentRow, 'snapshot'>): PagePlace => ({
  id,
  atMs: createdAt.getTime(),
});

const addPlace = (row: PaymentRow): FoundPayment => ({
  ...buildPlace(row),
  snapshot: row.snapshot,
});

/** `offset 0` keeps the planner from reading all payments at once. */
const selectPayment = (sql: Postgres, { wanted }: Search) => sql`
  select id, created_at, snapshot from payments where id = s.payment_id and ${wanted} offset 0`;

/** Of the payment at the place `s`. */
function selectTerms(sql: Postgres, { filter }: Search) {
  const { merchantId, environment } = filter;
  return sql`
    select terms from payment_search
     where merchant_id = ${merchantId} and environment = ${environment}
       and created_at = s.created_at and payment_id = s.payment_id offset 0`;
}

function filterByIndex(sql: Postgres, search: Search, id?: Fragment) {
  const { merchantId, environment } = search.filter;
  return sql`merchant_id = ${merchantId} and environment = ${environment} and ${filterTimes(sql, search, id)}`;
}

function filterTimes(sql: Postgres, { filter, after }: Search, id: Fragment = sql`payment_id`) {
  const { createdFromMs: fromMs, createdToMs: toMs } = filter;
  const nothing = sql``;
  return sql`true
     ${fromMs === null ? nothing : sql`and created_at >= ${new Date(fromMs)}`}
     ${toMs === null ? nothing : sql`and created_at < ${new Date(toMs)}`}
     ${after === null ? nothing : sql`and (created_at, ${id}) < (${new Date(after.atMs)}, ${after.id})`}`;
}
