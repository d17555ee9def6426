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

/** All headers of one attempt (API contract, section 5). */
export function buildSignedHeaders(
  secrets: Secrets,
  signed: SignedContent,
  { brandHeader, attempt }: AttemptNames,
): Record<string, string> {
  const { current, next } = secrets;
  const live = next === null ? [current] : [current, next];
  return {
    'Content-Type': 'application/json',
    // Common rule sets of firewalls refuse a request without it.
    Accept: '*/*',
    'User-Agent': `${brandHeader}-Webhooks/1.0`,
    [`X-${brandHeader}-Signature`]: signBody(current, signed.body),
    ...(next === null ? {} : { [`X-${brandHeader}-Signature-Next`]: signBody(next, signed.body) }),
    [`X-${brandHeader}-Timestamp`]: String(signed.timestampS),
    [`X-${brandHeader}-Event-Id`]: signed.id,
    [`X-${brandHeader}-Delivery-Attempt`]: String(attempt),
    'webhook-id': signed.id,
    'webhook-timestamp': String(signed.timestampS),
    'webhook-signature': live.map((secret) => signStandard(secret, signed)).join(' '),
  };
}
