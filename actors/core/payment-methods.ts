// The payment methods that merchants and customers see. Limits are the stricter of the published
// limits of the rails (Midtrans: "Berapa jumlah transaksi minimal"; Xendit: the page of each
// channel), so that a method keeps its limits when its rail changes. QRIS also has the central
// bank's maximum (PADG 24/1/2022). TEST has the limits of LIVE.
import type { Environment } from './ids.js';
import { type AmountMinor, type Currency, makeMinor } from './money.js';

/** The methods that a rail can charge, in the order of listings. */
export const CHARGEABLE_METHODS = [
  'QRIS',
  'VA_BCA',
  'VA_BNI',
  'VA_BRI',
  'VA_MANDIRI',
  'VA_PERMATA',
] as const;
export type ChargeableMethod = (typeof CHARGEABLE_METHODS)[number];
/** VA: the customer picks a bank on the page. */
export type PaymentMethodId = ChargeableMethod | 'VA';

export interface PaymentMethod {
  readonly name: string;
  readonly kind: 'qr' | 'virtual_account';
  readonly currency: Currency;
  readonly minAmountMinor: AmountMinor;
  readonly maxAmountMinor: AmountMinor;
  readonly defaultExpiresInS: number;
  /** Whether a LIVE rail can refund it; an administrator completes the refunds of the others. */
  readonly isRefundable: boolean;
  /** LIVE: the time from the settlement until the merchant can pay the money out. */
  readonly holdS: number;
}

const QRIS_EXPIRES_IN_S = 900;
const VA_EXPIRES_IN_S = 86_400;
const DAY_S = 86_400;

function makeBank(name: string, min: bigint, max: bigint, holdS: number): PaymentMethod {
  return {
    name,
    kind: 'virtual_account',
    currency: 'IDR',
    minAmountMinor: makeMinor(min),
    maxAmountMinor: makeMinor(max),
    defaultExpiresInS: VA_EXPIRES_IN_S,
    isRefundable: false,
    holdS,
  };
}

export const PAYMENT_METHODS: Readonly<Record<PaymentMethodId, PaymentMethod>> = {
  QRIS: {
    name: 'QRIS',
    kind: 'qr',
    currency: 'IDR',
    minAmountMinor: makeMinor(1n),
    maxAmountMinor: makeMinor(10_000_000n),
    defaultExpiresInS: QRIS_EXPIRES_IN_S,
    isRefundable: true,
    holdS: 2 * DAY_S,
  },
  VA: makeBank('Virtual account', 1n, 50_000_000_000n, 0),
  VA_BCA: makeBank('BCA virtual account', 10_000n, 50_000_000n, DAY_S),
  VA_BNI: makeBank('BNI virtual account', 1n, 50_000_000_000n, 0),
  VA_BRI: makeBank('BRI virtual account', 1n, 20_000_000_000n, 0),
  VA_MANDIRI: makeBank('Mandiri virtual account', 1n, 50_000_000_000n, 0),
  VA_PERMATA: makeBank('Permata virtual account', 1n, 9_999_999_999n, 0),
};

/** In the order of listings. */
export const PAYMENT_METHOD_IDS = Object.keys(PAYMENT_METHODS) as readonly PaymentMethodId[];

export function isPaymentMethodId(text: string): text is PaymentMethodId {
  return Object.hasOwn(PAYMENT_METHODS, text);
}

/** The method to charge; null: the customer has to choose first. */
export function findChargeableMethod(method: PaymentMethodId | null): ChargeableMethod | null {
  return method === 'VA' ? null : method;
}

/** Whether the customer may choose `choice` when the merchant requested `requested`. */
export function isChoiceOpen(requested: PaymentMethodId | null, choice: ChargeableMethod): boolean {
  if (requested === null) return true;
  return requested === 'VA' && PAYMENT_METHODS[choice].kind === 'virtual_account';
}

/** Whether the method takes the amount; null: whether any method does. */
export function isAmountWithinRange(amount: AmountMinor, method: PaymentMethodId | null): boolean {
  const { minAmountMinor, maxAmountMinor } = PAYMENT_METHODS[method ?? 'VA'];
  return amount >= minAmountMinor && amount <= maxAmountMinor;
}

/** Follows "amount must be": `from 10000 to 50000000 for VA_BCA`. */
export function describeAmountRange(method: PaymentMethodId | null): string {
  const { minAmountMinor, maxAmountMinor } = PAYMENT_METHODS[method ?? 'VA'];
  const range = `from ${minAmountMinor} to ${maxAmountMinor}`;
  return method === null
    ? `${range}; GET /v1/payment-methods lists the range of each method`
    : `${range} for ${method}`;
}

/** Used when the merchant sets no expiry; null, no method yet: the longest of all. */
export function findDefaultExpiresInS(method: PaymentMethodId | null): number {
  return PAYMENT_METHODS[method ?? 'VA'].defaultExpiresInS;
}

/** The sandbox refunds every method. */
export function isRefundable(method: PaymentMethodId, environment: Environment): boolean {
  return environment === 'TEST' || PAYMENT_METHODS[method].isRefundable;
}
