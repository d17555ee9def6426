// What the wire formats of rails share: how they write amounts and secrets, and the little that they are told of
// a payer. Everything here reads what a stranger sent: null is "not understood", never a guess.
import { createHash, timingSafeEqual } from 'node:crypto';
import { addMinor, type AmountMinor, parseAmount, ZERO_MINOR } from '#actors/core/money.js';
import type { Payer } from './rail.js';

export function formatBasicAuthorization(secret: string): string {
  return `Basic ${Buffer.from(`${secret}:`).toString('base64')}`;
}

/** In a time that tells nothing of where they differ, nor of their lengths. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(hashText(given), hashText(expected));
}

const hashText = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Of a callback, so that its repeats are known; parts are kept apart. */
export function buildDedupeKey(parts: readonly string[]): string {
  return hashText(JSON.stringify(parts)).toString('hex').slice(0, 40);
}

export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

const WRITTEN_AMOUNT = /^([0-9]{1,15})(?:\.0{1,4})?$/;

/** An amount of rupiah, as a number or as text such as `275000.00`; fractions are not understood. */
export function readRailAmount(written: unknown): AmountMinor | null {
  if (typeof written !== 'string' && typeof written !== 'number') return null;
  const units = WRITTEN_AMOUNT.exec(String(written))?.[1];
  const amount = units === undefined ? 'amount_invalid' : parseAmount(units);
  return typeof amount === 'bigint' ? amount : null;
}

/** Of what was paid in parts; null when one of them is not understood. */
export function sumRailAmounts(written: readonly unknown[]): AmountMinor | null {
  let sum = ZERO_MINOR;
  for (const one of written) {
    const amount = readRailAmount(one);
    if (amount === null) return null;
    sum = addMinor(sum, amount);
  }
  return sum;
}

/** As a JSON number: amounts have at most 15 digits, which a number holds exactly. */
export function writeRailAmount(amount: AmountMinor): number {
  return Number(amount);
}

const SHOWN_LENGTH = 30;
const NOBODY = 'PELANGGAN';

/**
 * The name beside an account number at the payer's bank: the payer's own, since the merchant's is nobody's
 * business there, in the letters that all banks take.
 */
export function formatPayerName({ name }: Payer): string {
  const plain = (name ?? '').normalize('NFD').replace(/[^A-Za-z0-9 ]/g, '');
  const short = plain.replace(/ +/g, ' ').trim().slice(0, SHOWN_LENGTH).trim();
  return /[A-Za-z]/.test(short) ? short.toUpperCase() : NOBODY;
}

const ACCOUNT_NUMBER = /^[0-9]{4,32}$/;

export function isAccountNumber(text: unknown): text is string {
  return typeof text === 'string' && ACCOUNT_NUMBER.test(text);
}
