// Reads a payment as it is stored.
import type { PaymentId } from '#actors/core/ids.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import type { ApiDeps } from './api-deps.js';

/** undefined: there is no such payment. unavailable: the database could not be asked. */
export async function readState(
  { readSnapshot, onError }: Pick<ApiDeps, 'readSnapshot' | 'onError'>,
  id: PaymentId,
): Promise<PaymentState | undefined | 'unavailable'> {
  let snapshot: string | undefined;
  try {
    snapshot = await readSnapshot(id);
  } catch (error) {
    onError(error);
    return 'unavailable';
  }
  return snapshot === undefined ? undefined : decodeSnapshot(snapshot);
}
