// Reads a payment as it is stored. A failed query throws, and the transport answers 503.
import type { PaymentId } from '#actors/core/ids.js';
import { isOfTenant, type PaymentState } from '#actors/core/payment/state.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import type { Tenant } from '../lists/listing.js';
import type { ApiDeps } from './api-deps.js';

type ReadDeps = Pick<ApiDeps, 'readSnapshot'>;

export async function readState(
  { readSnapshot }: ReadDeps,
  id: PaymentId,
): Promise<PaymentState | undefined> {
  const snapshot = await readSnapshot(id);
  return snapshot === undefined ? undefined : decodeSnapshot(snapshot);
}

/** undefined: the payment does not exist, or belongs to another merchant or the other environment. */
export async function readOwnState(
  deps: ReadDeps,
  id: PaymentId,
  tenant: Tenant,
): Promise<PaymentState | undefined> {
  const state = await readState(deps, id);
  return state !== undefined && isOfTenant(state, tenant) ? state : undefined;
}
