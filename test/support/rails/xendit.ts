// An order at a scripted Xendit, for the tests of its adapter.
import { deriveOrderId } from '#actors/core/ids.js';
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import { PAYMENT_ID } from '#test/core/payment/samples.js';
import { readFixtures } from './midtrans.js';
import { chargeOf } from './orders.js';

export const fixture = readFixtures('xendit');
export const ORDER = deriveOrderId(PAYMENT_ID, 999);
export const REFERENCE = 'pr-90392f42-d98a-49ef-a7f3-abcezas123';
export const PAID = 'py-1fdaf346-dd2e-4b6c-b938-124c7167a822';
const EXPIRES_AT_MS = Date.parse('2030-12-31T23:59:59Z');

export const chargeFor = (method: ChargeableMethod = 'VA_BRI') =>
  chargeOf('xendit', method, { orderId: ORDER, expiresAtMs: EXPIRES_AT_MS + 900 });
export const open = { ...fixture('201'), reference_id: ORDER, request_amount: 150_000 };
export const UNKNOWN = { result: 'unknown' };
export const error = (status: number, error_code: string) => ({
  status,
  body: { error_code, message: 'what Xendit says' },
});
