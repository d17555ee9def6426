// Whether two create requests with one idempotency key are the same: a hash over the parsed fields, so that
// white space, the order of fields and leading zeros make no difference.
//
// The hash names its format. A field at its default is left out, and the defaults of a format are frozen
// here, apart from those in use: so neither a new field nor a new default turns a repeat into a conflict.
// A later format is added to FORMATS; a repeat is compared in the format of the stored fingerprint.
import { hash } from 'node:crypto';
import type { PaymentRequest } from './request.js';

const LATEST = '1';
const DIGEST_CHARACTERS = 22;
const DEFAULT_CURRENCY_1 = 'IDR';
const DEFAULT_EXPIRES_IN_S_1 = 86_400;
const QRIS_EXPIRES_IN_S_1 = 900;

type Describe = (request: PaymentRequest) => string;
const FORMATS: ReadonlyMap<string, Describe> = new Map([[LATEST, describe1]]);

function describe1(request: PaymentRequest): string {
  const { currency, paymentMethod, expiresInS, metadata } = request;
  const defaultS = paymentMethod === 'QRIS' ? QRIS_EXPIRES_IN_S_1 : DEFAULT_EXPIRES_IN_S_1;
  const pairs = Object.entries(metadata);
  return JSON.stringify({
    amount: request.amountMinor.toString(),
    currency: currency === DEFAULT_CURRENCY_1 ? undefined : currency,
    description: request.description ?? undefined,
    reference_id: request.referenceId ?? undefined,
    payment_method: paymentMethod ?? undefined,
    customer_name: request.customerName ?? undefined,
    customer_email: request.customerEmail ?? undefined,
    customer_phone: request.customerPhone ?? undefined,
    success_url: request.successUrl ?? undefined,
    cancel_url: request.cancelUrl ?? undefined,
    metadata: pairs.length === 0 ? undefined : pairs.sort(byKey),
    expires_in: expiresInS === null || expiresInS === defaultS ? undefined : expiresInS,
  });
}

function byKey([a]: [string, string], [b]: [string, string]): number {
  return a < b ? -1 : 1;
}

/** `<format>:<128 bits in base64url>`. */
export function fingerprintOf(request: PaymentRequest): string {
  return digest(LATEST, describe1(request));
}

function digest(format: string, description: string): string {
  return `${format}:${hash('sha256', description, 'base64url').slice(0, DIGEST_CHARACTERS)}`;
}

/** Compares with a stored fingerprint, which may be of a format that gateways no longer send. */
export function isSameRequest(
  stored: string,
  sent: { readonly request: PaymentRequest; readonly fingerprint: string },
): boolean {
  if (stored === sent.fingerprint) return true;
  const format = stored.slice(0, stored.indexOf(':'));
  const describe = FORMATS.get(format);
  return describe !== undefined && stored === digest(format, describe(sent.request));
}
