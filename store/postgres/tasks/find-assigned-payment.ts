// The payment that an administrator names as the owner of suspended money.
import type { Environment, MerchantId, PaymentId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';

export interface AssignedPayment {
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  readonly currency: string;
}

/** Empty: the payment does not exist. */
export async function findAssignedPayment(
  sql: Postgres,
  id: PaymentId,
): Promise<AssignedPayment[]> {
  return sql<AssignedPayment[]>`
    select merchant_id as "merchantId", environment, currency from payments where id = ${id}`;
}
