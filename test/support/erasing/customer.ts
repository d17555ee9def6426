// A customer with a value in every personal field, in words that occur nowhere else.
import type { MerchantId } from '#actors/core/ids.js';
import type { Postgres } from '#store/postgres/client.js';

/** Every value except the phone number contains `name`. */
export function makeCustomer(name: string) {
  const word = (field: string): string => `${name}-${field}`;
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

/** As the mail of a LIVE invoice: in TEST only users of the merchant get mails. */
export async function insertInvoiceMail(
  sql: Postgres,
  invoiceId: string,
  email: string,
): Promise<void> {
  await sql`
    insert into mails (id, recipient, subject, body, budget, merchant_id, invoice_id)
    select 'mail_' || id, ${email}, ${email}, ${email}, 'invoice', merchant_id, id
      from invoices where id = ${invoiceId}`;
}

/** An API log that arrives after the erasure. */
export const buildLateLog = (merchantId: MerchantId) => ({
  ...{ atMs: Date.now(), requestId: 'req_late', merchantId, environment: 'TEST', keyId: 'key_x' },
  ...{ method: 'POST', path: '/v1/payments', query: null, status: 200, code: null, durationMs: 1 },
  ...{ responseBody: null },
});
