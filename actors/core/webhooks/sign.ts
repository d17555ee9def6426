// The signatures of a webhook, both over the exact bytes that are sent (docs/guides/webhooks.md, "Signatures").
// `X-Service-Signature` covers the body alone, with the whole `whsec_…` text as key. The one of Standard Webhooks covers
// id and time as well, with the bytes that the text encodes. The caller passes the live secrets in their order:
//
//   no rotation    [current]          signature = current
//   rotation       [current, next]    signature = current, -Next = next; Standard Webhooks: one of each
import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';
const KEY_BYTES = 32;

/** Makes a secret of 32 random bytes; it is shown to the endpoint's owner once. */
export function makeWebhookSecret(random: Uint8Array): string {
  if (random.length !== KEY_BYTES) throw new RangeError(`a secret has ${KEY_BYTES} random bytes`);
  return PREFIX + Buffer.from(random).toString('base64');
}

/** `X-Service-Signature`: hex, lower case. */
export function signBody(secret: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** One part of `webhook-signature`: `v1,` and base64 of the HMAC over `id.timestamp.body`. */
export function signStandard(secret: string, signed: SignedContent): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const hmac = createHmac('sha256', key).update(`${signed.id}.${signed.timestampS}.`);
  return `v1,${hmac.update(signed.body).digest('base64')}`;
}

export interface SignedContent {
  /** The event's id. */
  readonly id: string;
  /** Unix seconds of this attempt. */
  readonly timestampS: number;
  readonly body: Uint8Array;
}

export interface Secrets {
  readonly current: string;
  /** Set while a rotation overlaps. */
  readonly next: string | null;
}

/** The names of this installation and this attempt in headers. */
export interface AttemptNames {
  /** BRAND_HEADER, the word in header names. */
  readonly brandHeader: string;
  readonly attempt: number;
}

/**
 * The part of an attempt's headers that is stored. A later computation could differ: secrets rotate, the name of an installation
 * changes, an erasure changes the body.
 */
export interface AttemptSignatures {
  readonly brandHeader: string;
  readonly timestampS: number;
  /** `X-Service-Signature`. */
  readonly own: string;
  /** `X-Service-Signature-Next`; null: no rotation overlapped. */
  readonly ownNext: string | null;
  /** `webhook-signature`. */
  readonly standard: string;
}

export function signAttempt(
  { current, next }: Secrets,
  signed: SignedContent,
  brandHeader: string,
): AttemptSignatures {
  const live = next === null ? [current] : [current, next];
  return {
    ...{ brandHeader, timestampS: signed.timestampS },
    own: signBody(current, signed.body),
    ownNext: next === null ? null : signBody(next, signed.body),
    standard: live.map((secret) => signStandard(secret, signed)).join(' '),
  };
}

/** All headers of one attempt (API contract, section 5): those of its request, and those that are shown later. */
export function buildAttemptHeaders(
  { brandHeader, timestampS, own, ownNext, standard }: AttemptSignatures,
  { eventId, attempt }: { readonly eventId: string; readonly attempt: number },
): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    // Common rule sets of firewalls refuse a request without it.
    Accept: '*/*',
    'User-Agent': `${brandHeader}-Webhooks/1.0`,
    [`X-${brandHeader}-Signature`]: own,
    ...(ownNext === null ? {} : { [`X-${brandHeader}-Signature-Next`]: ownNext }),
    [`X-${brandHeader}-Timestamp`]: String(timestampS),
    [`X-${brandHeader}-Event-Id`]: eventId,
    [`X-${brandHeader}-Delivery-Attempt`]: String(attempt),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': standard,
  };
}

export function buildSignedHeaders(
  secrets: Secrets,
  signed: SignedContent,
  { brandHeader, attempt }: AttemptNames,
): Record<string, string> {
  const signatures = signAttempt(secrets, signed, brandHeader);
  return buildAttemptHeaders(signatures, { eventId: signed.id, attempt });
}

/** The stored form: the values in the order of their headers, separated by spaces. */
export function formatSignatures(signatures: AttemptSignatures): string {
  const { brandHeader, timestampS, own, ownNext, standard } = signatures;
  return [brandHeader, timestampS, own, ...(ownNext === null ? [] : [ownNext]), standard].join(' ');
}

type StoredParts = [string, string, string, string | undefined, string];
const STORED = /^(\S+) (\d+) ([0-9a-f]{64})(?: ([0-9a-f]{64}))? (v1,.+)$/;

/** Returns null for a text of another form, such as that of a later version. */
export function parseSignatures(text: string): AttemptSignatures | null {
  const match = STORED.exec(text);
  if (match === null) return null;
  const [brandHeader, timestamp, own, ownNext = null, standard] = match.slice(1) as StoredParts;
  return { brandHeader, timestampS: Number(timestamp), own, ownNext, standard };
}
