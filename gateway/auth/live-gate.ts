// The answers of the LIVE gate (actors/core/rails/live-gate.ts). Key requests pass its merchant part in admission.ts; payment links
// and invoices, which have no key, when they are created. Every charge passes the whole gate before its command is sent.
// Postgres computes `isLiveEnabled` in the SQL function `takes_payments`, which also guards each payment of a link or an
// invoice in the statement that begins it.
import {
  isMerchantBlocked,
  type LiveBlock,
  type MerchantGate,
} from '#actors/core/rails/live-gate.js';
import { type ApiError, buildApiError } from '../routing/response.js';

const LIVE_NOT_ENABLED = buildApiError('live_not_enabled');
const METHOD_UNAVAILABLE = buildApiError('payment_method_unavailable', { param: 'payment_method' });

const ANSWERS: Readonly<Record<LiveBlock, ApiError>> = {
  merchant: LIVE_NOT_ENABLED,
  live_creates: buildApiError('dependency_unavailable', {
    message: 'LIVE payments are not taken at the moment. Nothing was done; try again later.',
    retryAfterSeconds: 60,
  }),
  method: METHOD_UNAVAILABLE,
  rail: METHOD_UNAVAILABLE,
};

/** undefined: the merchant may go on. TEST always may. */
export function checkLiveGate(gate: MerchantGate): ApiError | undefined {
  return isMerchantBlocked(gate) ? LIVE_NOT_ENABLED : undefined;
}

export function buildBlockedAnswer(block: LiveBlock): ApiError {
  return ANSWERS[block];
}
