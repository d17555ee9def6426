// What of a body may be kept in a log: no credentials, nothing of the customer, no numbers that look like cards. The
// shape stays, so that a developer sees what was sent; whole lists are counted and not repeated.
import { hasCardNumber } from '#actors/core/card-data.js';

const MASK = '[masked]';
const NO_JSON = '"[no JSON]"';
/** Customers, their accounts, and what opens something. */
const MASKED = new Set([
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
/** Whatever in a JSON text may read otherwise than it is written. */
const NOT_PLAIN = /[^ -[\]-~]/;

type Json = Readonly<Record<string, unknown>>;
type MaskWord = (text: string) => string;

export interface MaskedBody {
  /** JSON; null: there was none. */
  readonly text: string | null;
  readonly value: unknown;
}

const NONE: MaskedBody = { text: null, value: null };

export function maskBody(text: string): MaskedBody {
  if (text === '') return NONE;
  try {
    const value = maskValue(JSON.parse(text), '', isHarmless(text) ? keepWord : maskText);
    return { text: JSON.stringify(value), value };
  } catch {
    return { text: NO_JSON, value: null };
  }
}

export const maskText: MaskWord = (text) =>
  hasCardNumber(text) ? MASK : text.replace(CREDENTIAL, '$1_' + MASK);

const keepWord: MaskWord = (text) => text;

/**
 * Whether none of its strings needs maskText: each stands in the text as it is, between quotes, so what is not in the
 * whole is in none of them. Nearly all bodies are harmless, and looking at them once costs a third of the time.
 */
const isHarmless = (text: string): boolean =>
  !NOT_PLAIN.test(text) && text.search(CREDENTIAL) < 0 && !hasCardNumber(text);

function maskValue(value: unknown, name: string, maskWord: MaskWord): unknown {
  if (value === null) return null;
  if (MASKED.has(name)) return MASK;
  if (typeof value === 'string') return maskWord(value);
  if (Array.isArray(value)) {
    if (name === 'data') return `[${value.length} objects]`;
    return value.map((item) => maskValue(item, '', maskWord));
  }
  if (typeof value !== 'object') return value;
  const masked = Object.entries(value).map(([key, item]): [string, unknown] => [
    maskWord(key),
    maskValue(item, key, maskWord),
  ]);
  return Object.fromEntries(masked);
}

/** The payment or payout that a request was about; null: none, or several. */
export function findSubjectId(path: string, bodies: readonly MaskedBody[]): string | null {
  const inPath = SUBJECT_PATH.exec(path)?.[1];
  if (inPath !== undefined) return inPath;
  for (const { value } of bodies) {
    if (typeof value !== 'object' || value === null) continue;
    const body = value as Json;
    // An event tells of its payment in `data`.
    const inside = body['data'];
    const told = [body['payment_id'], body['id'], (inside as Json | null | undefined)?.['id']];
    const found = told.find((id) => typeof id === 'string' && SUBJECT_ID.test(id));
    if (found !== undefined) return found as string;
  }
  return null;
}
