// A customer of whom everything is written, in words that stand nowhere else.
import type { MerchantId } from '#actors/core/ids.js';

/** `name` stands in every text but the phone number. */
export function makeCustomer(name: string) {
  const word = (what: string): string => `${name}-${what}`;
  const body = {
    amount: '50000',
    customer_name: word('name'),
    customer_email: `${word('mail')}@Pelanggan.example`,
    customer_phone: '+62 899 0001 2233',
    description: word('description'),
    reference_id: word('reference'),
    metadata: { note: word('metadata') },
    success_url: `https://toko.example/${word('success')}`,
    cancel_url: `https://toko.example/${word('cancel')}`,
  };
  return { name, body };
}

/** A log as the writer has it; for one that comes late. */
export const logOf = (merchantId: MerchantId) => ({
  ...{ atMs: Date.now(), requestId: 'req_late', merchantId, environment: 'TEST', keyId: 'key_x' },
  ...{ method: 'POST', path: '/v1/payments', query: null, status: 200, code: null, durationMs: 1 },
  ...{ responseBody: null },
});
