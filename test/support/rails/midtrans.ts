// An order at a scripted Midtrans, for the tests of its adapter.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deriveOrderId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { PAYMENT_ID } from '#test/core/payment/samples.js';
import { chargeOf } from './orders.js';
import { SIMULATED } from './simulator.js';

/** Reads replies and callbacks from the documentation of a rail, shortened. */
export function readFixtures(rail: 'midtrans' | 'xendit'): (name: string) => object {
  const file = join(findPackageRoot(), `test/actors/rails/fixtures/${rail}.json`);
  const fixtures = JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>;
  return (name) => fixtures[name] ?? {};
}

/** An invented QR payload. */
export const PAYLOAD =
  '00020101021226640017ID.CO.EXAMPLE.WWW0118936000001234567890021012345678900303UMI51440014ID.CO.QRIS.WWW' +
  '0215ID10200000000010303UMI5204599953033605405150005802ID5911TOKO CONTOH6007JAKARTA61051011062190108INV-00010703A0163046BAA';
export const TRANSACTION = '0d8178e1-c6c7-4ab4-81a6-893be9d924ab';
export const ORDER = deriveOrderId(PAYMENT_ID, 999);
const AMOUNT = makeMinor(275_000n);

export const fixture = readFixtures('midtrans');
export const chargeFor = (method: ChargeableMethod = 'QRIS') =>
  chargeOf('midtrans', method, { orderId: ORDER, amountMinor: AMOUNT });
export const pending = { ...fixture('201.qris'), order_id: ORDER, qr_string: PAYLOAD };
/** The reply to a status inquiry. */
export const standing = (changes: object, code = '200') => ({
  body: { ...pending, status_code: code, ...changes },
});
export const BY_ORDER = `GET /v2/${ORDER}/status`;
export const BY_ID = `GET /v2/${TRANSACTION}/status`;

/** Signs a callback as Midtrans does. */
export function signedCallback(fields: object, key = SIMULATED.midtransServerKey) {
  const { order_id = '', status_code = '', gross_amount = '' } = fields as Record<string, string>;
  const signature_key = createHash('sha512')
    .update(order_id + status_code + gross_amount + key)
    .digest('hex');
  return { ...fields, order_id, status_code, gross_amount, signature_key };
}
