// The LIVE gate: a merchant takes real money only when it is verified (APPROVED), LIVE is enabled for it, and no kill
// switch stops it. Key requests pass it in admission.ts; payment links and invoices, which have no key, call it when they
// are created. Postgres computes `isLiveEnabled` in the SQL function `takes_payments`, which also guards each payment of a
// link or an invoice in the statement that begins it.
import type { Credential } from '#actors/core/api-key.js';
import { type ApiError, buildApiError } from '../routing/response.js';

const LIVE_NOT_ENABLED = buildApiError('live_not_enabled');

/** undefined: the merchant may go on. TEST always may. */
export function checkLiveGate({
  environment,
  isLiveEnabled,
}: Pick<Credential, 'environment' | 'isLiveEnabled'>): ApiError | undefined {
  return environment === 'LIVE' && !isLiveEnabled ? LIVE_NOT_ENABLED : undefined;
}
