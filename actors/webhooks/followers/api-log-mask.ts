// Masks bodies for API logs: credentials, customer data and numbers that look like card numbers. The structure stays, so
// that a developer sees what was sent; a list page is reduced to its length.
import { mayHoldCardData } from '#actors/core/card-data.js';

const MASK = '[masked]';
const NOT_JSON = '"[no JSON]"';
/** Fields with customer data or credentials. */
const MASKED_FIELDS = new Set([
  'customer_name',
  'customer_email',
  'customer_phone',
  'account_number',
  'account_holder',
  'secret',
  'token',
  'password',
  'authorization',
]);
const CREDENTIAL = /\b(sk_test|sk_live|whsec|cs)_[\w+/=-]+/g;
const SUBJECT_PATH = /^\/v1\/(?:payments|payouts)\/((?:pay|po)_[0-9a-z]{26})(?:\/|$)/;
const SUBJECT_ID = /^(?:pay|po)_[0-9a-z]{26}$/;
/** Characters of a JSON text whose strings may decode to other characters: escapes, control and non-ASCII ones. */
const NOT_PLAIN = /[^ -[\]-~]/;

const MASKED_NAME = `"(?:${[...MASKED_FIELDS].join('|')})" *: *`;
const MASKED_TEXT = new RegExp(`(${MASKED_NAME})"[^"]*"`, 'g');
/** A page of a list, or a masked field whose value is neither a text nor null. */
const NEEDS_VALUES = new RegExp(`"data" *: *\\[|${MASKED_NAME}[^"n ]`);

type Json = Readonly<Record<string, unknown>>;
type MaskString = (text: string) => string;

export interface MaskedBody {
  /** JSON; null: the body was empty. */
  readonly text: string | null;
  readonly value: unknown;
}

const EMPTY: MaskedBody = { text: null, value: null };

export function maskBody(text: string): MaskedBody {
  if (text === '') return EMPTY;
  try {
    const parsed: unknown = JSON.parse(text);
    const isPlain = isHarmless(text);
    if (isPlain && !NEEDS_VALUES.test(text)) return { text: maskInPlace(text), value: parsed };
    const value = maskValue(parsed, '', isPlain ? keepString : maskText);
    return { text: JSON.stringify(value), value };
  } catch {
    return { text: NOT_JSON, value: null };
  }
}

/**
 * Masks a harmless JSON text without building it again, which takes half the time. A quote always begins or ends a string
 * there, so a name in quotes before a colon is the name of a field.
 */
const maskInPlace = (text: string): string => text.replace(MASKED_TEXT, `$1"${MASK}"`);

export const maskText: MaskString = (text) =>
  mayHoldCardData(text) ? MASK : text.replace(CREDENTIAL, '$1_' + MASK);

const keepString: MaskString = (text) => text;

/**
 * Whether no string of the body needs maskText. The strings of a plain text appear in it unescaped, so one search over
 * the whole text covers them all. Nearly all bodies are harmless, and one search takes a third of the time.
 */
const isHarmless = (text: string): boolean =>
  !NOT_PLAIN.test(text) && text.search(CREDENTIAL) < 0 && !mayHoldCardData(text);

function maskValue(value: unknown, name: string, maskString: MaskString): unknown {
  if (value === null) return null;
  if (MASKED_FIELDS.has(name)) return MASK;
  if (typeof value === 'string') return maskString(value);
  if (Array.isArray(value)) {
    if (name === 'data') return `[${value.length} objects]`;
    return value.map((item) => maskValue(item, '', maskString));
  }
  if (typeof value !== 'object') return value;
  const masked = Object.entries(value).map(([key, item]): [string, unknown] => [
    maskString(key),
    maskValue(item, key, maskString),
  ]);
  return Object.fromEntries(masked);
}

/** The payment or payout that a request names; null: it names none. */
export function findSubjectId(path: string, bodies: readonly MaskedBody[]): string | null {
  const inPath = SUBJECT_PATH.exec(path)?.[1];
  if (inPath !== undefined) return inPath;
  for (const { value } of bodies) {
    if (typeof value !== 'object' || value === null) continue;
    const body = value as Json;
    // An event has its payment in `data`.
    const data = body['data'] as Json | null | undefined;
    const ids = [body['payment_id'], body['id'], data?.['id']];
    const found = ids.find((id) => typeof id === 'string' && SUBJECT_ID.test(id));
    if (found !== undefined) return found as string;
  }
  return null;
}
