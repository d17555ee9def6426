// The payment that an administrator names as the one whose money came under another.
import type { Environment, MerchantId, PaymentId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';

export interface AssignedPayment {
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  readonly currency: string;
}

/** Empty: there is none of that id. */
export async function findAssignedPayment(
  sql: Postgres,
  id: PaymentId,
): Promise<AssignedPayment[]> {
  return sql<AssignedPayment[]>`
    select merchant_id as "merchantId", environment, currency from payments where id = ${id}`;
}
