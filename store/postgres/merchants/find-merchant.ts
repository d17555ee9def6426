// Finds a merchant.
import type { MerchantId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';

export interface MerchantRow {
  readonly id: MerchantId;
  readonly businessName: string;
  readonly verificationStatus: string;
  readonly isLiveEnabled: boolean;
  readonly createdAt: Date;
}

/** Empty if there is no such merchant. */
export async function findMerchant(sql: Postgres, id: MerchantId): Promise<MerchantRow[]> {
  return sql<MerchantRow[]>`
    select id, business_name as "businessName", verification_status as "verificationStatus",
           live_enabled as "isLiveEnabled", created_at as "createdAt"
      from merchants where id = ${id}`;
}
