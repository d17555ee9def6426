// The request of a payment inside commands and snapshots, under the names of the API.
import type { Static, TObject } from '@sinclair/typebox';
import type { PaymentRequest } from '../state.js';
import { parseDigits } from './codec.js';
import * as field from './fields.js';

export const REQUEST_FIELDS = {
  amount: field.digits,
  currency: field.currency,
  description: field.maybe(field.text),
  reference_id: field.maybe(field.text),
  payment_method: field.maybe(field.method),
  customer_name: field.maybe(field.text),
  customer_email: field.maybe(field.text),
  customer_phone: field.maybe(field.text),
  success_url: field.maybe(field.text),
  cancel_url: field.maybe(field.text),
  metadata: field.maybe(field.metadata),
};
export type StoredRequest = Static<TObject<typeof REQUEST_FIELDS>>;

export function decodeRequest(
  stored: StoredRequest,
  paymentMethod = stored.payment_method,
  expiresInS: number | null | undefined,
): PaymentRequest {
  return {
    amountMinor: parseDigits(stored.amount),
    currency: stored.currency,
    description: stored.description ?? null,
    referenceId: stored.reference_id ?? null,
    paymentMethod: paymentMethod ?? null,
    customerName: stored.customer_name ?? null,
    customerEmail: stored.customer_email ?? null,
    customerPhone: stored.customer_phone ?? null,
    successUrl: stored.success_url ?? null,
    cancelUrl: stored.cancel_url ?? null,
    metadata: stored.metadata ?? {},
    expiresInS: expiresInS ?? null,
  };
}
