// Matters of a merchant that need its attention. Each is counted up to a bound.
import type { Environment, MerchantId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';

export const MAX_COUNTED = 1_000;

export interface FailingWebhooks {
  /** Of deleted endpoints too, as in the list of dead letters. */
  readonly deadLetters: number;
  /** Endpoints to which every delivery has failed for an hour. */
  readonly failingEndpoints: number;
}

export async function countFailingWebhooks(
  sql: Postgres,
  merchantId: MerchantId,
  environment: Environment,
): Promise<FailingWebhooks> {
  const rows = await sql<FailingWebhooks[]>`
    select (select count(*)::int from (
              select from webhook_endpoints w cross join lateral (
                select from webhook_deliveries d
                 where d.endpoint_id = w.id and d.status = 'dead' limit ${MAX_COUNTED}) d
               where w.merchant_id = ${merchantId} and w.environment = ${environment}
               limit ${MAX_COUNTED}) x) as "deadLetters",
           (select count(*)::int
              from webhook_endpoints w join webhook_endpoint_failures f on f.endpoint_id = w.id
             where w.merchant_id = ${merchantId} and w.environment = ${environment}
               and w.active and f.flagged_at is not null) as "failingEndpoints"`;
  return rows[0] ?? { deadLetters: 0, failingEndpoints: 0 };
}

/** Counts refunds that an administrator has to make. */
export async function countManualRefunds(
  sql: Postgres,
  merchantId: MerchantId,
  environment: Environment,
): Promise<number> {
  const rows = await sql<{ count: number }[]>`
    select count(*)::int as count from (
      select from refunds
       where status = 'manual_required' and merchant_id = ${merchantId} and environment = ${environment}
       limit ${MAX_COUNTED}) x`;
  return rows[0]?.count ?? 0;
}
