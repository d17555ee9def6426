// Money: whole minor units as bigint inside, digit strings on the wire, never a number. Currencies are
// those that a payment method takes; the exponent says how many decimals people write.
import type { Branded } from './ids.js';

export type AmountMinor = Branded<bigint, 'AmountMinor'>;

export const CURRENCIES = {
  IDR: { exponent: 0 },
} as const satisfies Record<string, { exponent: number }>;
export type Currency = keyof typeof CURRENCIES;

export const AMOUNT_PATTERN = '^[0-9]{1,15}$';
const AMOUNT = new RegExp(AMOUNT_PATTERN);
export const ZERO_MINOR = 0n as AmountMinor;

export type AmountFault = 'amount_invalid' | 'amount_out_of_range';

/** Reads an amount of a request: 1 to 15 digits, leading zeros dropped; zero is out of every range. */
export function parseAmount(text: string): AmountMinor | AmountFault {
  if (!AMOUNT.test(text)) return 'amount_invalid';
  const amount = BigInt(text);
  return amount === 0n ? 'amount_out_of_range' : toMinor(amount);
}

/** Canonical digits, with a minus sign when below zero. */
export function formatAmount(amount: bigint): string {
  return amount.toString();
}

export function toMinor(units: bigint): AmountMinor {
  return units as AmountMinor;
}

export function addMinor(a: AmountMinor, b: AmountMinor): AmountMinor {
  return toMinor(a + b);
}

export function subtractMinor(a: AmountMinor, b: AmountMinor): AmountMinor {
  return toMinor(a - b);
}

export function isCurrency(text: string): text is Currency {
  return Object.hasOwn(CURRENCIES, text);
}
