// The payment methods that merchants and customers see. Limits are the stricter of what the rails publish
// (Midtrans: "Berapa jumlah transaksi minimal"; Xendit: the page of each channel), so that a method does not
// change its limits with the rail behind it; QRIS also has the central bank's maximum (PADG 24/1/2022).
// TEST has the same limits as LIVE. VA stands for "a bank that the customer picks on the page".
import type { Environment } from './ids.js';
import { type AmountMinor, type Currency, toMinor } from './money.js';

/** A method that a rail can be asked for. */
export type ChargeableMethod =
  'QRIS' | 'VA_BCA' | 'VA_BNI' | 'VA_BRI' | 'VA_MANDIRI' | 'VA_PERMATA';
export type PaymentMethodId = ChargeableMethod | 'VA';

export interface PaymentMethod {
  readonly name: string;
  readonly kind: 'qr' | 'virtual_account';
  readonly currency: Currency;
  readonly minAmountMinor: AmountMinor;
  readonly maxAmountMinor: AmountMinor;
  readonly defaultExpiresInS: number;
  /** Whether a LIVE rail can refund it; refunds of the others are completed by an administrator. */
  readonly isRefundable: boolean;
  /** From the settlement until the money is the merchant's to pay out (LIVE). */
  readonly holdS: number;
}

const QRIS_EXPIRES_IN_S = 900;
const VA_EXPIRES_IN_S = 86_400;
const DAY_S = 86_400;

function bank(name: string, min: bigint, max: bigint, holdS: number): PaymentMethod {
  return {
    name,
    kind: 'virtual_account',
    currency: 'IDR',
    minAmountMinor: toMinor(min),
    maxAmountMinor: toMinor(max),
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
    minAmountMinor: toMinor(1n),
    maxAmountMinor: toMinor(10_000_000n),
    defaultExpiresInS: QRIS_EXPIRES_IN_S,
    isRefundable: true,
    holdS: 2 * DAY_S,
  },
  VA: bank('Virtual account', 1n, 50_000_000_000n, 0),
  VA_BCA: bank('BCA virtual account', 10_000n, 50_000_000n, DAY_S),
  VA_BNI: bank('BNI virtual account', 1n, 50_000_000_000n, 0),
  VA_BRI: bank('BRI virtual account', 1n, 20_000_000_000n, 0),
  VA_MANDIRI: bank('Mandiri virtual account', 1n, 50_000_000_000n, 0),
  VA_PERMATA: bank('Permata virtual account', 1n, 9_999_999_999n, 0),
};

/** In the order of listings. */
export const PAYMENT_METHOD_IDS: readonly PaymentMethodId[] = [
  'QRIS',
  'VA',
  'VA_BCA',
  'VA_BNI',
  'VA_BRI',
  'VA_MANDIRI',
  'VA_PERMATA',
];

/** In the order of listings. */
export const CHARGEABLE_METHODS: readonly ChargeableMethod[] = [
  'QRIS',
  'VA_BCA',
  'VA_BNI',
  'VA_BRI',
  'VA_MANDIRI',
  'VA_PERMATA',
];

export function isPaymentMethodId(text: string): text is PaymentMethodId {
  return Object.hasOwn(PAYMENT_METHODS, text);
}

/** The method to ask a rail for, or null while the customer has still to pick one. */
export function chargeableMethod(method: PaymentMethodId | null): ChargeableMethod | null {
  return method === 'VA' ? null : method;
}

/** Whether the customer may pick `choice` where the merchant asked for `requested`. */
export function isChoiceOpen(requested: PaymentMethodId | null, choice: ChargeableMethod): boolean {
  if (requested === null) return true;
  return requested === 'VA' && PAYMENT_METHODS[choice].kind === 'virtual_account';
}

/** Whether a method takes the amount; without a method, whether there is one that does. */
export function isAmountWithinRange(amount: AmountMinor, method: PaymentMethodId | null): boolean {
  const { minAmountMinor, maxAmountMinor } = PAYMENT_METHODS[method ?? 'VA'];
  return amount >= minAmountMinor && amount <= maxAmountMinor;
}

/** Seconds until a payment expires when the merchant does not say; the longest while no method is chosen. */
export function defaultExpiresInS(method: PaymentMethodId | null): number {
  return PAYMENT_METHODS[method ?? 'VA'].defaultExpiresInS;
}

/** The sandbox refunds every method; on LIVE rails it depends on the method. */
export function isRefundable(method: PaymentMethodId, environment: Environment): boolean {
  return environment === 'TEST' || PAYMENT_METHODS[method].isRefundable;
}
