// The wire format of Xendit's replies (Payments API v3). An error is `{error_code, message}`; the message is not read.
// Amounts are numbers in Xendit's guides and texts in its OpenAPI examples, so both are accepted. The requests that several
// calls make follow at the end.
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { maybe } from '#actors/core/payment/wire/fields.js';
import type { RailClient, RailRequest, RailResponse } from '../rail-client.js';
import { parseJson } from '../wire.js';

export type Reply =
  | { readonly kind: 'done'; readonly body: unknown }
  | { readonly kind: 'error'; readonly status: number; readonly code: string }
  | { readonly kind: 'nothing' };

const ErrorBody = TypeCompiler.Compile(
  Type.Object({ error_code: Type.String({ pattern: '^[A-Z0-9_]{1,80}$' }) }),
);

/** `nothing`: no reply, an error of Xendit's servers, or a reply of somebody else (an HTML page, a redirect). */
export function readReply(response: RailResponse): Reply {
  if (response.kind !== 'answer') return { kind: 'nothing' };
  const { status } = response;
  const body = parseJson(response.body);
  if (status >= 200 && status < 300 && body !== undefined) return { kind: 'done', body };
  if (status >= 400 && status < 500 && ErrorBody.Check(body)) {
    return { kind: 'error', status, code: body.error_code };
  }
  return { kind: 'nothing' };
}

export const Id = Type.String({ pattern: '^[A-Za-z0-9_-]{1,80}$' });
export const Amount = Type.Union([Type.String({ maxLength: 32 }), Type.Number()]);
/** The reference of a refund: ours, a text of the dashboard, or none. */
export const Reference = maybe(Type.String({ maxLength: 255 }));

/** null: there is none. */
export function readReference(written: string | null | undefined): string | null {
  return written === undefined || written === '' ? null : written;
}

const CaptureSchema = Type.Object({
  capture_amount: Amount,
  capture_timestamp: maybe(Type.String({ maxLength: 40 })),
});
const Captures = TypeCompiler.Compile(Type.Array(CaptureSchema, { minItems: 1, maxItems: 100 }));
type Capture = Static<typeof CaptureSchema>;

export function readCaptures(captures: unknown): readonly Capture[] {
  return Captures.Check(captures) ? captures : [];
}

/** Codes of refused requests: nothing was taken. A duplicate (409) is not among them. */
export const REFUSALS: ReadonlySet<string> = new Set([
  'API_VALIDATION_ERROR',
  'INVALID_VALUE_ERROR',
  'INVALID_API_KEY',
  'INVALID_MERCHANT_SETTINGS',
  'ACCOUNT_ACCESS_BLOCKED',
]);

export const API_VERSION = { 'api-version': '2024-11-11' };
/** The longest page of refunds. */
const REFUNDS_LISTED = 100;

export async function sendRequest(
  client: RailClient,
  request: RailRequest,
  signal: AbortSignal,
): Promise<Reply> {
  return readReply(await client.send(request, signal));
}

export const buildRequestPath = (id: string): string =>
  `/v3/payment_requests/${encodeURIComponent(id)}`;

export function fetchPaymentRequest(
  client: RailClient,
  id: string,
  signal: AbortSignal,
): Promise<Reply> {
  const path = buildRequestPath(id);
  return sendRequest(client, { method: 'GET', path, headers: API_VERSION }, signal);
}

export function listRefunds(
  client: RailClient,
  paymentRequestId: string,
  signal: AbortSignal,
): Promise<Reply> {
  const query = new URLSearchParams({
    payment_request_id: paymentRequestId,
    limit: String(REFUNDS_LISTED),
  });
  const path = `/refunds?${query.toString()}`;
  return sendRequest(client, { method: 'GET', path }, signal);
}
