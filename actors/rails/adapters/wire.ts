// Shared by the wire formats of rails: amounts, secrets, and the payer's name. The input is foreign text: null means "not
// understood", and nothing is guessed.
import { createHash, timingSafeEqual } from 'node:crypto';
import { addMinor, type AmountMinor, parseAmount, ZERO_MINOR } from '#actors/core/money.js';
import type { Payer } from './rail.js';

export function formatBasicAuthorization(secret: string): string {
  return `Basic ${Buffer.from(`${secret}:`).toString('base64')}`;
}

/** Compares in constant time, whatever the lengths. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(hashText(given), hashText(expected));
}

const hashText = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Identifies a callback and its repeats. JSON keeps the parts apart. */
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

/** Reads rupiah from a number or from text such as `275000.00`; null for fractions. */
export function readRailAmount(written: unknown): AmountMinor | null {
  if (typeof written !== 'string' && typeof written !== 'number') return null;
  const units = WRITTEN_AMOUNT.exec(String(written))?.[1];
  const amount = units === undefined ? 'amount_invalid' : parseAmount(units);
  return typeof amount === 'bigint' ? amount : null;
}

/** null when one of the amounts is not understood. */
export function sumRailAmounts(written: readonly unknown[]): AmountMinor | null {
  let sum = ZERO_MINOR;
  for (const one of written) {
    const amount = readRailAmount(one);
    if (amount === null) return null;
    sum = addMinor(sum, amount);
  }
  return sum;
}

/** A JSON number holds our amounts exactly: they have at most 15 digits. */
export function writeRailAmount(amount: AmountMinor): number {
  return Number(amount);
}

const SHOWN_LENGTH = 30;
const ANONYMOUS_NAME = 'PELANGGAN';

/**
 * The name that the payer's bank shows beside the account number: the payer's own, so that the merchant is not named, in
 * letters that all banks accept.
 */
export function formatPayerName({ name }: Payer): string {
  const plain = (name ?? '').normalize('NFD').replace(/[^A-Za-z0-9 ]/g, '');
  const short = plain.replace(/ +/g, ' ').trim().slice(0, SHOWN_LENGTH).trim();
  return /[A-Za-z]/.test(short) ? short.toUpperCase() : ANONYMOUS_NAME;
}

const ACCOUNT_NUMBER = /^[0-9]{4,32}$/;

export function isAccountNumber(text: unknown): text is string {
  return typeof text === 'string' && ACCOUNT_NUMBER.test(text);
}
