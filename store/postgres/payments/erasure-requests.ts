// Erasure requests of merchants and administrators (store/postgres/schema/0014_erasures.sql names the states). The
// text that is searched for is deleted when all payments were searched.
import type { Environment, ErasureId, MerchantId } from '#actors/core/ids.js';
import { insertMailsFrom, type Mail } from '../accounts/mails.js';
import { selectActor, type Actor } from '../operations/audit.js';
import { listNewest } from '../links-and-invoices/list-newest.js';
import type { Postgres } from '../client.js';
import type { FoundRows, Page, PagePlace } from '../page.js';
import type { TellProgress } from '../progress.js';
import { Turns } from '../turns.js';

export const ERASURE_FIELDS = [
  'payment_id',
  'payout_id',
  'invoice_id',
  'customer_email',
  'customer_phone',
  'reference_id',
] as const;
export type ErasureField = (typeof ERASURE_FIELDS)[number];

export interface NewErasure {
  readonly id: ErasureId;
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  readonly field: ErasureField;
  readonly sought: string;
  /** Also erases the merchant's references. */
  readonly withReference: boolean;
  /** To the owners, stored with the request. */
  readonly mails?: readonly Mail[];
}

type SoughtCustomer = Pick<NewErasure, 'merchantId' | 'environment' | 'field' | 'sought'>;

export interface Erasure extends Omit<NewErasure, 'sought' | 'mails'> {
  readonly createdAt: Date;
  readonly completedAt: Date | null;
  /** Payments, payouts and invoices; more may be found until the request is completed. */
  readonly found: number;
  readonly erased: number;
}

const selectColumns = (sql: Postgres) => sql`
  id, merchant_id as "merchantId", environment, field, with_reference as "withReference",
  created_at as "createdAt", completed_at as "completedAt",
  (select count(*)::int from erasure_finds f where f.request_id = id) as found,
  (select count(*)::int from erasure_finds f join erasure_subjects e on e.id = f.subject_id
    where f.request_id = scanned.id and e.erased_at is not null) as erased`;

/** Returns false when the merchant does not exist. Operators' commands have no `actor`: their connection names them. */
export async function createErasureRequest(
  sql: Postgres,
  actor: Actor | null,
  { id, merchantId, environment, field, sought, withReference, mails = [] }: NewErasure,
): Promise<boolean> {
  const rows = await sql`
    with ${selectActor(sql, actor)},
    made as (
      insert into erasure_requests (id, merchant_id, environment, field, sought, with_reference)
      select ${id}, m.id, ${environment}, ${field}, ${sought}, ${withReference}
        from acting, merchants m where m.id = ${merchantId}
      returning id),
    mailed as (${insertMailsFrom(sql, mails, 'made')})
    select id from made`;
  return rows.length > 0;
}

/** Returns an empty list when the merchant has no erasure with this id. */
export async function findErasure(
  sql: Postgres,
  { id, merchantId }: { readonly id: ErasureId; readonly merchantId: MerchantId },
): Promise<Erasure[]> {
  return sql<Erasure[]>`
    select ${selectColumns(sql)} from erasure_requests as scanned
     where id = ${id} and merchant_id = ${merchantId}`;
}

/** Returns the newest first. */
export async function listErasures(
  sql: Postgres,
  merchantId: MerchantId,
  page: Page,
): Promise<FoundRows<Erasure & PagePlace>> {
  return listNewest<Erasure>(
    sql,
    { table: 'erasure_requests', merchantId, filter: sql`true`, columns: selectColumns(sql) },
    page,
  );
}

const TABLES = { payment_id: 'payments', payout_id: 'payouts', invoice_id: 'invoices' } as const;

/** Returns true for a subject that exists, and for a field that has to be searched. */
export async function hasSubject(
  sql: Postgres,
  { merchantId, environment, field, sought }: SoughtCustomer,
): Promise<boolean> {
  if (field !== 'payment_id' && field !== 'payout_id' && field !== 'invoice_id') return true;
  const rows = await sql`
    select 1 from ${sql(TABLES[field])}
     where id = ${sought} and merchant_id = ${merchantId} and environment = ${environment}`;
  return rows.length > 0;
}

const MAX_PREVIEWED = 5_000;

/** The ids of the payments, payouts and invoices that a request would find now. A statement searches `most` payments. */
export async function previewErasure(
  sql: Postgres,
  { merchantId, environment, field, sought }: SoughtCustomer,
  tell: TellProgress,
  most = MAX_PREVIEWED,
): Promise<readonly string[]> {
  const ids = new Set<string>();
  const request = { merchant_id: merchantId, environment, field, sought };
  let reached = { reached_at: '-infinity', reached_id: '' };
  for (let searched = 0; ;) {
    const row = JSON.stringify({ ...request, ...reached });
    const [page] = await sql<FoundSubjects[]>`
      select to_json(ids) as ids, looked, last_at::text as "lastAt", last_id as "lastId"
        from find_subjects(jsonb_populate_record(null::erasure_requests, ${row}::text::jsonb), ${most})`;
    if (page === undefined) throw new Error('find_subjects returned no row');
    for (const id of page.ids) ids.add(id);
    searched += page.looked;
    tell({ step: 'payments searched', done: searched });
    if (page.looked < most) return [...ids];
    reached = { reached_at: page.lastAt ?? '', reached_id: page.lastId ?? '' };
  }
}

interface FoundSubjects {
  readonly ids: readonly string[];
  readonly looked: number;
  readonly lastAt: string | null;
  readonly lastId: string | null;
}

/** Requests that one round searches for. */
const MAX_SEARCHES = 8;

/** Environments, and the merchants of each, take turns. A search moves its `due_at` on, so the next one is another's. */
export function createSearchTurns(): Turns {
  return new Turns((sql) => ({
    table: sql`erasure_requests`,
    waiting: sql`looked_through_at is null`,
    key: sql`(environment || ' ' || merchant_id)`,
    dueAt: sql`due_at`,
  }));
}

/**
 * For some open requests, searches the next `most` payments; then completes the requests whose subjects are erased. Returns
 * whether there was something to search.
 */
export async function collectSubjects(sql: Postgres, turns: Turns, most: number): Promise<boolean> {
  const keys = await turns.listKeys(sql);
  if (keys.length > 0) {
    await sql`
      select look_through(id, ${most}) from (${turns.select(sql, keys, MAX_SEARCHES)}) open`;
  }
  await sql`
    update erasure_requests r set completed_at = date_trunc('milliseconds', now())
     where completed_at is null and looked_through_at is not null
       and not exists (select from erasure_finds f join erasure_subjects e on e.id = f.subject_id
                        where f.request_id = r.id and e.erased_at is null)`;
  return keys.length > 0;
}
