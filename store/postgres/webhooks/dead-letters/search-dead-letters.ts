// Dead letters about payments and payouts that a person looks for.
import type { Postgres } from '#store/postgres/client.js';
import type { FoundRows, Page } from '#store/postgres/page.js';
import { filterAmount, selectDeliveriesOf } from '../delivery-subjects.js';
import { type Delivery, selectDeliveryColumns } from '../list-deliveries.js';
import { type DeadLetterScope, filterDeadIn } from './dead-letter-scope.js';
import { type DeadLetter, filterDiedBefore, listDeadLetters } from './list-dead-letters.js';

/** For an amount, which has no index: rare dead letters are found over several pages. */
const ROWS_SCANNED = 10_000;

export interface SoughtLetters {
  readonly scope: DeadLetterScope;
  /** The payments and payouts whose events are meant; null: any. */
  readonly subjectIds: readonly string[] | null;
  /** Of the payment or payout, in minor units. */
  readonly amount: string | null;
}

/** Latest deaths first. */
export async function searchDeadLetters(
  sql: Postgres,
  { scope, subjectIds, amount }: SoughtLetters,
  page: Page,
): Promise<FoundRows<DeadLetter>> {
  const { limit, after } = page;
  if (subjectIds === null && amount === null) {
    return { rows: await listDeadLetters(sql, scope, page), stoppedAt: null };
  }
  const isBounded = subjectIds !== null;
  const among = isBounded
    ? selectDeliveriesOf(sql, subjectIds)
    : sql`select * from webhook_deliveries`;
  const most = isBounded ? sql`` : sql.unsafe(`limit ${ROWS_SCANNED}`);
  const scanned = sql`
    select d.* from (${among}) as d join webhook_endpoints w on w.id = d.endpoint_id
     where ${filterDeadIn(sql, scope)} ${after === null ? sql`` : filterDiedBefore(sql, after)}
     order by d.settled_at desc, d.id desc`;
  const found = await sql<Delivery[]>`
    select ${selectDeliveryColumns(sql)}
      from (${scanned} ${most}) as d join webhook_endpoints w on w.id = d.endpoint_id
     ${amount === null ? sql`` : sql`where ${filterAmount(sql, amount)}`}
     order by d.settled_at desc, d.id desc limit ${limit + 1}`;
  const rows = found.map(addPlace);
  if (isBounded || rows.length > limit) return { rows, stoppedAt: null };
  const [last] = await sql<Pick<Delivery, 'id' | 'settledAt'>[]>`
    select id, settled_at as "settledAt" from (
      ${scanned} ${sql.unsafe(`limit 1 offset ${ROWS_SCANNED - 1}`)}) as d`;
  return { rows, stoppedAt: last === undefined ? null : addPlace(last) };
}

const addPlace = <Row extends Pick<Delivery, 'settledAt'>>(
  row: Row,
): Row & { readonly atMs: number } => ({
  ...row,
  atMs: row.settledAt?.getTime() ?? 0,
});
