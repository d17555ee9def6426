// Money: whole minor units, bigint inside and digit strings on the wire, never a number. The
// currencies are those that a payment method takes; the exponent is the number of decimals that
// people write. Written in TypeScript that browsers run too: the dashboard imports this file.
import type { Branded } from './ids.js';

export type AmountMinor = Branded<bigint, 'AmountMinor'>;

export const CURRENCIES = {
  IDR: { exponent: 0, symbol: 'Rp' },
  // `formatMoney` writes no decimals: a currency that has some does not compile.
} as const satisfies Record<string, { exponent: 0; symbol: string }>;
export type Currency = keyof typeof CURRENCIES;
export const CURRENCY_CODES = Object.keys(CURRENCIES) as readonly Currency[];

export const AMOUNT_PATTERN = '^[0-9]{1,15}$';
/** Completes "amount …". */
export const AMOUNT_REQUIREMENT =
  'must be a string of 1 to 15 digits, in minor units, such as "150000"';
export const CURRENCY_REQUIREMENT = `must be ${CURRENCY_CODES.join(' or ')}`;
const AMOUNT = new RegExp(AMOUNT_PATTERN);
export const ZERO_MINOR = 0n as AmountMinor;

export type AmountError = 'amount_invalid' | 'amount_out_of_range';

/**
 * Parses an amount of a request: 1 to 15 digits, leading zeros dropped; zero is out of every range.
 */
export function parseAmount(text: string): AmountMinor | AmountError {
  if (!AMOUNT.test(text)) return 'amount_invalid';
  const amount = BigInt(text);
  return amount === 0n ? 'amount_out_of_range' : makeMinor(amount);
}

const THREE_DIGITS = /\B(?=(\d{3})+$)/g;
const NO_BREAK_SPACE = '\u00a0';

/** `2.275.000` from `2275000`. */
export function groupThousands(digits: string): string {
  return digits.replace(THREE_DIGITS, '.');
}

/**
 * `Rp 2.275.000` from `2275000`, with a space that does not break: the style of every page, mail and document in every language.
 * A text that is not digits is shown as it is.
 */
export function formatMoney(minor: string, currency: string): string {
  const [, sign = '', digits = minor] = /^(-?)(\d+)$/.exec(minor) ?? [];
  const amount = `${findSymbol(currency)}${NO_BREAK_SPACE}${groupThousands(digits)}`;
  return sign === '' ? amount : `−${amount}`;
}

/** `Rp` for IDR. */
export function findSymbol(currency: string): string {
  return isCurrency(currency) ? CURRENCIES[currency].symbol : currency;
}

/** Digits without leading zeros, with a minus sign below zero. */
export function formatAmount(amount: bigint): string {
  return amount.toString();
}

export function makeMinor(units: bigint): AmountMinor {
  return units as AmountMinor;
}

export function addMinor(a: AmountMinor, b: AmountMinor): AmountMinor {
  return makeMinor(a + b);
}

export function subtractMinor(a: AmountMinor, b: AmountMinor): AmountMinor {
  return makeMinor(a - b);
}

export function isCurrency(text: string): text is Currency {
  return Object.hasOwn(CURRENCIES, text);
}
