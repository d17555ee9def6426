// Lists and counts dead letters: deliveries that are not attempted any more until they are replayed. They are kept for
// 30 days.
import type { Environment } from '#actors/core/ids.js';
import type { WebhookType } from '#actors/core/schemas/event.js';
import type { DeliveryFailure } from '#actors/core/webhooks/failures.js';
import type { Postgres } from '#store/postgres/client.js';
import type { Page, PagePlace } from '#store/postgres/page.js';
import { type Delivery, selectDeliveryColumns } from '../list-deliveries.js';
import { type DeadLetterScope, filterDeadIn } from './dead-letter-scope.js';

/** A dead delivery; its `reason` and `settledAt` are not null. */
export type DeadLetter = Delivery & PagePlace;

/** Latest deaths first. One row more than the limit means that another page follows. */
export async function listDeadLetters(
  sql: Postgres,
  scope: DeadLetterScope,
  { limit, after }: Page,
): Promise<DeadLetter[]> {
  const rows = await sql<Delivery[]>`
    select ${selectDeliveryColumns(sql)}
      from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
     where ${filterDeadIn(sql, scope)} ${after === null ? sql`` : filterDiedBefore(sql, after)}
     order by d.settled_at desc, d.id desc limit ${limit + 1}`;
  return rows.map((row) => ({ ...row, atMs: row.settledAt?.getTime() ?? 0 }));
}

/** A page place has milliseconds only; its row has the exact time while it is dead. */
export function filterDiedBefore(sql: Postgres, { atMs, id }: PagePlace) {
  return sql`and (d.settled_at, d.id) < (coalesce(
    (select settled_at from webhook_deliveries where id = ${id}), ${new Date(atMs)}), ${id})`;
}

export async function countDead(sql: Postgres, scope: DeadLetterScope): Promise<number> {
  const rows = await sql<{ count: number }[]>`
    select count(*)::int as count
      from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
     where ${filterDeadIn(sql, scope)}`;
  return rows[0]?.count ?? 0;
}

export interface DeadLetterCount {
  readonly endpointId: string;
  readonly merchantId: string;
  readonly environment: Environment;
  readonly url: string;
  readonly active: boolean;
  readonly type: WebhookType;
  readonly reason: DeliveryFailure;
  readonly count: number;
  readonly oldest: Date;
  readonly newest: Date;
}

/** Counts of each endpoint, type and reason, largest first. */
export async function countDeadLetters(
  sql: Postgres,
  scope: DeadLetterScope,
  limit: number,
): Promise<DeadLetterCount[]> {
  return sql<DeadLetterCount[]>`
    select w.id as "endpointId", w.merchant_id as "merchantId", w.environment, w.url, w.active,
           d.type, d.reason, count(*)::int as count, min(d.settled_at) as oldest,
           max(d.settled_at) as newest
      from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
     where ${filterDeadIn(sql, scope)}
     group by w.id, d.type, d.reason
     order by count(*) desc, w.id, d.type, d.reason limit ${limit}`;
}
