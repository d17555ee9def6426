// Endpoints whose deliveries changed: the webhooks processes announce them by id (store/redis/wake-up.ts), and pages follow
// those of their merchant.
import type { MerchantId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import { joinValues } from '../join-column.js';
import type { Change } from './change.js';

/** Those of `endpointIds` that belong to these merchants. */
export function findEndpointsOf(
  sql: Postgres,
  endpointIds: readonly string[],
  merchants: readonly MerchantId[],
): Promise<Change[]> {
  return sql<Change[]>`
    select w.id, w.merchant_id as "merchantId", w.environment
      from unnest(split(${joinValues(endpointIds)})) as named (id)
     cross join lateral (select * from webhook_endpoints where id = named.id offset 0) w
     where w.merchant_id = any(${[...merchants]}::text[])`;
}
