// The words by which a payment is found: of its id, reference, customer, amount and metadata. Payments and searches are
// divided into words in the same way, without case and accents. Each word is stored behind a tag of merchant and environment,
// so that an index holds the words of each merchant by themselves.
import { hash } from 'node:crypto';
import type { Environment, MerchantId } from '#actors/core/ids.js';

export const MAX_SEARCH_CHARACTERS = 100;
export const MAX_SEARCH_WORDS = 8;
/** Of a payment. Those of the metadata come last. */
const MAX_TERMS = 200;
/** Longer words are cut, also in searches. */
const MAX_WORD_CHARACTERS = 64;
/** A shorter beginning of a word would find nearly everything. */
const MIN_PREFIX_CHARACTERS = 2;
const MIN_PHONE_DIGITS = 6;
const TAG_CHARACTERS = 6;

const ID_PREFIX = 'pay_';
const MARKS = /\p{M}/gu;
const WORD = /[\p{L}\p{N}]+/gu;
/**
 * Most texts are of these characters, and a match splits them: nothing is decomposed, and no part is an id, an amount in groups or
 * behind a currency. The words of a payment take 8 µs of a round instead of 12.
 */
const PLAIN = /^(?!.*(?:pay_|\d[.,]\d|rp|idr))[ -~]*$/i;
const PLAIN_WORD = /[a-z0-9]+/g;
const CURRENCY_BEFORE_DIGITS = /(?<![\p{L}\p{N}])(?:rp|idr)\.?\s*(?=\d)/gu;
/** 150.000 or 150,000, also with two decimals. */
const GROUPED_AMOUNT = /^(\d{1,3}(?:\.\d{3})+|\d{1,3}(?:,\d{3})+)(?:[.,](?:00|-))?$/;
const PHONE = /^\+?[\d ().\-/]+$/;

/** The parts of a snapshot (wire/snapshot.ts) that are searched. */
interface SearchedPayment {
  readonly id: string;
  readonly environment: Environment;
  readonly amount: string;
  readonly reference_id?: string | null;
  readonly customer_name?: string | null;
  readonly customer_email?: string | null;
  readonly customer_phone?: string | null;
  readonly metadata?: Readonly<Record<string, string>> | null;
  readonly internal: { readonly merchantId: MerchantId };
}

export interface SearchTenant {
  readonly merchantId: MerchantId;
  readonly environment: Environment;
}

/** The words of a payment behind their tag, each once. */
export function listTerms(snapshot: string): string[] {
  const payment = JSON.parse(snapshot) as SearchedPayment;
  const { id, environment, internal } = payment;
  const phone = payment.customer_phone ?? '';
  const texts = [
    payment.amount,
    payment.reference_id,
    payment.customer_name,
    payment.customer_email,
    phone,
    ...Object.entries(payment.metadata ?? {}).flat(),
  ];
  const words = [id.slice(ID_PREFIX.length), ...(phone === '' ? [] : [dial(phone)])];
  for (const text of texts) words.push(...splitWords(text ?? ''));
  const tag = buildTag({ merchantId: internal.merchantId, environment });
  return [...new Set(words)].slice(0, MAX_TERMS).map((word) => tag + word);
}

export type SearchFault = 'no_word' | 'too_many_words';

/**
 * A search as a query of Postgres (tsquery): all words must occur, the last one as a beginning. A text that is a phone number
 * also finds the number in its other spelling.
 */
export function buildSearch(tenant: SearchTenant, text: string): { query: string } | SearchFault {
  const words = splitWords(text);
  if (words.length === 0) return 'no_word';
  if (words.length > MAX_SEARCH_WORDS) return 'too_many_words';
  const tag = buildTag(tenant);
  const last = words.length - 1;
  const all = words.map((word, place) => quote(tag + word, place === last && isLong(word)));
  const query = all.join(' & ');
  const phone = isPhone(text) ? dial(text) : '';
  if (phone === '' || phone === words.join()) return { query };
  return { query: `(${query}) | ${quote(tag + phone, true)}` };
}

/** Words hold letters and digits only, and tags base64url, so nothing in them needs an escape. */
const quote = (term: string, isPrefix: boolean): string => `'${term}'${isPrefix ? ':*' : ''}`;

const isLong = (word: string): boolean => word.length >= MIN_PREFIX_CHARACTERS;

function splitWords(text: string): string[] {
  const words = PLAIN.test(text) ? (text.toLowerCase().match(PLAIN_WORD) ?? []) : splitAny(text);
  return words.map((word) => word.slice(0, MAX_WORD_CHARACTERS));
}

function splitAny(text: string): string[] {
  const plain = text.normalize('NFKD').replace(MARKS, '').toLowerCase();
  const chunks = plain.replace(CURRENCY_BEFORE_DIGITS, '').split(/\s+/);
  return chunks.flatMap(splitChunk);
}

function splitChunk(chunk: string): readonly string[] {
  const amount = GROUPED_AMOUNT.exec(chunk)?.[1];
  if (amount !== undefined) return [amount.replace(/[.,]/g, '')];
  const text = chunk.startsWith(ID_PREFIX) ? chunk.slice(ID_PREFIX.length) : chunk;
  return text.match(WORD) ?? [];
}

const isPhone = (text: string): boolean =>
  PHONE.test(text) && text.replace(/\D/g, '').length >= MIN_PHONE_DIGITS;

/** The digits of a phone number as dialled from abroad: 0812… and +62 812… are the same number. */
function dial(phone: string): string {
  return phone.replace(/\D/g, '').replace(/^0/, '62');
}

function buildTag({ merchantId, environment }: SearchTenant): string {
  return hash('sha256', `${environment}:${merchantId}`, 'base64url').slice(0, TAG_CHARACTERS);
}
