// Ids: a prefix and 16 bytes in lower-case Crockford base32 (26 characters, no i, l, o, u). The 130
// bits of the text hold 128, so the first character is 0 to 7 and each id has exactly one spelling.
//
// Nothing here is random: the bytes come from the caller, from an idempotency key (HMAC) or from
// another id. So a repeated command has the same ids, and the repeat has no effect.
import { hash } from 'node:crypto';
import { createKeyedHash } from './keyed-hash.js';

declare const brand: unique symbol;
export type Branded<Base, Name extends string> = Base & { readonly [brand]: Name };

export type PaymentId = Branded<string, 'PaymentId'>;
export type RefundId = Branded<string, 'RefundId'>;
export type PayoutId = Branded<string, 'PayoutId'>;
export type MerchantId = Branded<string, 'MerchantId'>;
export type EventId = Branded<string, 'EventId'>;
export type KeyId = Branded<string, 'KeyId'>;
export type UserId = Branded<string, 'UserId'>;
export type PasskeyId = Branded<string, 'PasskeyId'>;
export type SessionId = Branded<string, 'SessionId'>;
export type DocumentId = Branded<string, 'DocumentId'>;
export type SubmissionId = Branded<string, 'SubmissionId'>;
export type PaymentLinkId = Branded<string, 'PaymentLinkId'>;
export type InvoiceId = Branded<string, 'InvoiceId'>;
export type ErasureId = Branded<string, 'ErasureId'>;
export type LogoId = Branded<string, 'LogoId'>;
export type ApprovalId = Branded<string, 'ApprovalId'>;
/** The UUID under which a rail knows one attempt of a payment. */
export type OrderId = Branded<string, 'OrderId'>;

export const ENVIRONMENTS = ['TEST', 'LIVE'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];
/** The operation of an idempotency key: one key on two endpoints is two operations. */
export type IdKind = 'payment' | 'refund' | 'payout';

interface IdTypes {
  pay: PaymentId;
  ref: RefundId;
  po: PayoutId;
  mer: MerchantId;
  key: KeyId;
  usr: UserId;
  ses: SessionId;
  pkey: PasskeyId;
  doc: DocumentId;
  kyc: SubmissionId;
  plink: PaymentLinkId;
  inv: InvoiceId;
  era: ErasureId;
  logo: LogoId;
  appr: ApprovalId;
}
export type IdPrefix = keyof IdTypes;

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
/**
 * Two characters for each value of 10 bits: encoding an id by 13 pairs takes two thirds of the time
 * of 26 characters.
 */
const PAIRS = Array.from(
  { length: 1024 },
  (_, value) => DIGITS.charAt(value >> 5) + DIGITS.charAt(value & 31),
);
const BODY = '[0-7][0-9a-hjkmnp-tv-z]{25}';
const ID_BYTES = 16;
const VERSION_DIGITS = 4;
const MAX_VERSION = 32 ** VERSION_DIGITS - 1;
export const PAYMENT_ID_PATTERN = `^pay_${BODY}$`;
export const REFUND_ID_PATTERN = `^ref_${BODY}$`;
export const MERCHANT_ID_PATTERN = `^mer_${BODY}$`;
export const APPROVAL_ID_PATTERN = `^appr_${BODY}$`;
export const PAYOUT_ID_PATTERN = `^po_${BODY}$`;
export const EVENT_ID_PATTERN = `^evt_${BODY}[0-9a-hjkmnp-tv-z]{${VERSION_DIGITS}}$`;

const PATTERNS = {
  pay: new RegExp(PAYMENT_ID_PATTERN),
  ref: new RegExp(REFUND_ID_PATTERN),
  po: new RegExp(PAYOUT_ID_PATTERN),
  mer: new RegExp(MERCHANT_ID_PATTERN),
  key: new RegExp(`^key_${BODY}$`),
  usr: new RegExp(`^usr_${BODY}$`),
  ses: new RegExp(`^ses_${BODY}$`),
  pkey: new RegExp(`^pkey_${BODY}$`),
  doc: new RegExp(`^doc_${BODY}$`),
  kyc: new RegExp(`^kyc_${BODY}$`),
  plink: new RegExp(`^plink_${BODY}$`),
  inv: new RegExp(`^inv_${BODY}$`),
  era: new RegExp(`^era_${BODY}$`),
  logo: new RegExp(`^logo_${BODY}$`),
  appr: new RegExp(`^appr_${BODY}$`),
} satisfies Record<IdPrefix, RegExp>;
const EVENT_PATTERN = new RegExp(EVENT_ID_PATTERN);
export const ORDER_ID_PATTERN =
  '^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$';
const ORDER_PATTERN = new RegExp(ORDER_ID_PATTERN);

/** Encodes 16 bytes as 26 characters; texts sort like their bytes. */
export function encodeBase32(bytes: Uint8Array): string {
  if (bytes.length !== ID_BYTES) throw new RangeError(`an id has 16 bytes, not ${bytes.length}`);
  return pair(byteAt(bytes, 0)) + fourPairs(bytes, 1) + fourPairs(bytes, 6) + fourPairs(bytes, 11);
}

function fourPairs(bytes: Uint8Array, from: number): string {
  const b1 = byteAt(bytes, from + 1);
  const b2 = byteAt(bytes, from + 2);
  const b3 = byteAt(bytes, from + 3);
  return (
    pair((byteAt(bytes, from) << 2) | (b1 >> 6)) +
    pair(((b1 & 63) << 4) | (b2 >> 4)) +
    pair(((b2 & 15) << 6) | (b3 >> 2)) +
    pair(((b3 & 3) << 8) | byteAt(bytes, from + 4))
  );
}

// Both indexes are within bounds; String() and Number() only convince the compiler.
const byteAt = (bytes: Uint8Array, index: number): number => Number(bytes[index]);
const pair = (value: number): string => String(PAIRS[value]);

/** Makes an id of 16 bytes that are random, or derived from an idempotency key. */
export function makeId<P extends IdPrefix>(prefix: P, bytes: Uint8Array): IdTypes[P] {
  return `${prefix}_${encodeBase32(bytes)}` as IdTypes[P];
}

function parseId<P extends IdPrefix>(prefix: P, text: string): IdTypes[P] | undefined {
  return PATTERNS[prefix].test(text) ? (text as IdTypes[P]) : undefined;
}

export const parsePaymentId = (text: string): PaymentId | undefined => parseId('pay', text);
export const parseRefundId = (text: string): RefundId | undefined => parseId('ref', text);
export const parsePayoutId = (text: string): PayoutId | undefined => parseId('po', text);
export const parseMerchantId = (text: string): MerchantId | undefined => parseId('mer', text);
export const parseKeyId = (text: string): KeyId | undefined => parseId('key', text);
export const parseUserId = (text: string): UserId | undefined => parseId('usr', text);
export const parseSessionId = (text: string): SessionId | undefined => parseId('ses', text);
export const parsePasskeyId = (text: string): PasskeyId | undefined => parseId('pkey', text);
export const parseDocumentId = (text: string): DocumentId | undefined => parseId('doc', text);
export const parsePaymentLinkId = (text: string): PaymentLinkId | undefined =>
  parseId('plink', text);
export const parseInvoiceId = (text: string): InvoiceId | undefined => parseId('inv', text);
export const parseErasureId = (text: string): ErasureId | undefined => parseId('era', text);
export const parseLogoId = (text: string): LogoId | undefined => parseId('logo', text);
export const parseApprovalId = (text: string): ApprovalId | undefined => parseId('appr', text);

export function parseOrderId(text: string): OrderId | undefined {
  return ORDER_PATTERN.test(text) ? (text as OrderId) : undefined;
}

export interface IdempotencyScope {
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  readonly kind: IdKind;
  readonly idempotencyKey: string;
}

export type DeriveIdBytes = (scope: IdempotencyScope) => Buffer;

/**
 * Creates the function that derives the 16 bytes of an id from an idempotency key: HMAC-SHA256 with
 * ID_KEY, cut to 128 bits. The result may never change. Every part but the last is preceded by its
 * length, so that no two scopes give the same text. `idKey` has at most 64 bytes.
 */
export function createIdDeriver(idKey: Uint8Array): DeriveIdBytes {
  const hashKeyed = createKeyedHash(idKey);
  return ({ environment, kind, merchantId, idempotencyKey }) => {
    const text = `1${part(environment)}${part(kind)}${part(merchantId)}:${idempotencyKey}`;
    return Buffer.from(hashKeyed(text, 'hex').slice(0, 2 * ID_BYTES), 'hex');
  };
}

const part = (text: string): string => `:${text.length}:${text}`;

/** Unique for each event of each payment and payout; versions count the events from 1. */
export function deriveEventId(id: PaymentId | PayoutId, version: number): EventId {
  return `evt_${formatTransitionKey(id, version)}` as EventId;
}

/**
 * The common part of all ids that an event causes: the characters of the payment or the payout, and
 * the version's.
 */
export function formatTransitionKey(id: PaymentId | PayoutId, version: number): string {
  return id.slice(id.indexOf('_') + 1) + encodeVersion(version);
}

function encodeVersion(version: number): string {
  if (!Number.isInteger(version) || version < 1 || version > MAX_VERSION) {
    throw new RangeError(`version ${version} is not within 1 and ${MAX_VERSION}`);
  }
  return pair(version >> 10) + pair(version & 1023);
}

/** An event belongs to one of the two, and its id does not tell to which. */
export interface EventKey {
  readonly paymentId: PaymentId;
  readonly payoutId: PayoutId;
  readonly version: number;
}

export function parseEventId(text: string): EventKey | undefined {
  if (!EVENT_PATTERN.test(text)) return undefined;
  let version = 0;
  for (const digit of text.slice(-VERSION_DIGITS)) version = version * 32 + DIGITS.indexOf(digit);
  if (version === 0) return undefined;
  const body = text.slice(4, -VERSION_DIGITS);
  return { paymentId: `pay_${body}` as PaymentId, payoutId: `po_${body}` as PayoutId, version };
}

/**
 * The 26 characters of an id that is always the same for the same matter. `matter` begins with its
 * kind, so that two kinds never share an id.
 */
export function deriveIdBody(matter: string): string {
  const hex = hash('sha256', matter, 'hex').slice(0, 2 * ID_BYTES);
  return encodeBase32(Buffer.from(hex, 'hex'));
}

/** Of a refund that a rail made by itself: the same `reference` of the rail is recorded once for a payment. */
export function deriveRecordedRefundId(
  paymentId: PaymentId,
  rail: string,
  reference: string,
): RefundId {
  return `ref_${deriveIdBody(`recorded refund:${paymentId}:${rail}:${reference}`)}` as RefundId;
}

/** The order id of one attempt: a UUID of version 8. A rail cannot derive the payment from it. */
export function deriveOrderId(paymentId: PaymentId, attemptNumber: number): OrderId {
  const hex = hash('sha256', `order:${paymentId}:${attemptNumber}`);
  const variant = DIGITS.charAt(8 + (Number.parseInt(hex.charAt(16), 16) & 3));
  return (hex.slice(0, 8) +
    `-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-` +
    hex.slice(20, 32)) as OrderId;
}

export const ENDPOINT_ID_PATTERN = `^we_${BODY}$`;
/**
 * Derived from event and endpoint by the SQL statement that inserts the delivery, so that it exists
 * once.
 */
export const DELIVERY_ID_PATTERN = '^del_[0-9a-f]{32}$';
export const REPLAY_ID_PATTERN = `^rpl_${BODY}$`;

const ENDPOINT = new RegExp(ENDPOINT_ID_PATTERN);
const DELIVERY = new RegExp(DELIVERY_ID_PATTERN);
const REPLAY = new RegExp(REPLAY_ID_PATTERN);

/** `random` has 16 bytes. */
export const makeEndpointId = (random: Uint8Array): string => `we_${encodeBase32(random)}`;
/** `random` has 16 bytes. */
export const makeReplayId = (random: Uint8Array): string => `rpl_${encodeBase32(random)}`;

export const isEndpointId = (text: string): boolean => ENDPOINT.test(text);
export const isDeliveryId = (text: string): boolean => DELIVERY.test(text);
export const isReplayId = (text: string): boolean => REPLAY.test(text);
