// What of a body may be kept in a log: no credentials, nothing of the customer, no numbers that look like cards. The
// shape stays, so that a developer sees what was sent; whole lists are counted and not repeated.
import { hasCardNumber } from '../../core/card-data.js';

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

type Json = Readonly<Record<string, unknown>>;

/** JSON of the masked body; null: there was none. */
export function maskBody(text: string): string | null {
  if (text === '') return null;
  try {
    return JSON.stringify(maskValue(JSON.parse(text), ''));
  } catch {
    return NO_JSON;
  }
}

export const maskText = (text: string): string =>
  hasCardNumber(text) ? MASK : text.replace(CREDENTIAL, '$1_' + MASK);

function maskValue(value: unknown, name: string): unknown {
  if (value === null) return null;
  if (MASKED.has(name)) return MASK;
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) {
    if (name === 'data') return `[${value.length} objects]`;
    return value.map((item) => maskValue(item, ''));
  }
  if (typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [maskText(key), maskValue(item, key)]),
  );
}

/** The payment or payout that a request was about; null: none, or several. */
export function findSubjectId(path: string, bodies: readonly (string | null)[]): string | null {
  const inPath = SUBJECT_PATH.exec(path)?.[1];
  if (inPath !== undefined) return inPath;
  for (const text of bodies) {
    const body = (text === null ? null : JSON.parse(text)) as Json | string | null;
    if (typeof body !== 'object' || body === null) continue;
    // An event tells of its payment in `data`.
    const inside = body['data'];
    const told = [body['payment_id'], body['id'], (inside as Json | null | undefined)?.['id']];
    const found = told.find((id) => typeof id === 'string' && SUBJECT_ID.test(id));
    if (found !== undefined) return found as string;
  }
  return null;
}
