// A page of a merchant's rows, newest first. Filters apply to a bounded number of rows (store/postgres/page.ts).
import type { PendingQuery, Row } from 'postgres';
import type { MerchantId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import { type FoundRows, buildScanLimit, type Page, type PagePlace } from '../page.js';

type Fragment = PendingQuery<Row[]>;

export interface NewestQuery {
  /** A table with an index on merchant_id, created_at and id; created_at holds whole milliseconds. */
  readonly table: string;
  readonly merchantId: MerchantId;
  /** A condition. */
  readonly filter: Fragment;
  /** Columns, with `id` and `createdAt` among them. */
  readonly columns: Fragment;
}

export async function listNewest<Item extends { readonly id: string; readonly createdAt: Date }>(
  sql: Postgres,
  { table, merchantId, filter, columns }: NewestQuery,
  { limit, after }: Page,
): Promise<FoundRows<Item & PagePlace>> {
  const bound = buildScanLimit(sql);
  const among = sql`merchant_id = ${merchantId}
    ${after === null ? sql`` : sql`and (created_at, id) < (${new Date(after.atMs)}, ${after.id})`}`;
  const rows = await sql<Item[]>`
    select ${columns} from (
      select * from ${sql(table)}
       where ${among} order by created_at desc, id desc ${bound.rows}) as scanned
     where ${filter}
     order by created_at desc, id desc limit ${limit + 1}`;
  const found = rows.map((row) => ({ ...row, atMs: row.createdAt.getTime() }));
  if (rows.length > limit) return { rows: found, stoppedAt: null };
  const [last] = await sql<{ id: string; createdAt: Date }[]>`
    select id, created_at as "createdAt" from ${sql(table)}
     where ${among} order by created_at desc, id desc ${bound.last}`;
  const stoppedAt = last === undefined ? null : { id: last.id, atMs: last.createdAt.getTime() };
  return { rows: found, stoppedAt };
}
