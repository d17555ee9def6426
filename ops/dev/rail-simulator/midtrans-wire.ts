// Parts that Midtrans' replies and notifications share.
import { createHash } from 'node:crypto';

export const MERCHANT = 'G000000001';

export function signNotification(
  body: { order_id: string; status_code: string; gross_amount: string },
  key: string,
) {
  const { order_id, status_code, gross_amount } = body;
  const signature_key = createHash('sha512')
    .update(order_id + status_code + gross_amount + key)
    .digest('hex');
  return { ...body, status_message: 'midtrans payment notification', signature_key };
}
