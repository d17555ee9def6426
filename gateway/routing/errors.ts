// The only map from a code to status, type and text: API.md section 1, all of it. Codes are a closed set;
// a new rejection of actors/core does not compile until it is named in REJECTIONS.
import type { Rejection } from '#actors/core/payment/outcome.js';

export type ErrorType =
  | 'invalid_request'
  | 'authentication'
  | 'permission'
  | 'not_found'
  | 'conflict'
  | 'rate_limited'
  | 'internal'
  | 'processing'
  | 'unavailable';

interface ErrorRow {
  readonly status: number;
  readonly type: ErrorType;
  readonly message: string;
}

const row = (status: number, type: ErrorType, message: string): ErrorRow => ({
  status,
  type,
  message,
});
const invalid = (message: string): ErrorRow => row(400, 'invalid_request', message);
const unauthenticated = (message: string): ErrorRow => row(401, 'authentication', message);
const forbidden = (message: string): ErrorRow => row(403, 'permission', message);
const missing = (what: string): ErrorRow =>
  row(
    404,
    'not_found',
    `There is no such ${what}, or it belongs to another account or environment.`,
  );
const conflict = (message: string): ErrorRow => row(409, 'conflict', message);
const unavailable = (status: 503 | 504, message: string): ErrorRow =>
  row(status, 'unavailable', message);

const BAD_REQUESTS = {
  body_invalid: invalid('The body is not valid JSON of the form that this call takes.'),
  amount_invalid: invalid('amount must be a string of digits, in minor units.'),
  amount_out_of_range: invalid('amount is outside the range that can be paid.'),
  currency_unsupported: invalid('currency is not offered.'),
  payment_method_unavailable: invalid('payment_method is not offered for this payment.'),
  url_invalid: invalid(
    'An address must be an https:// URL without user info or control characters.',
  ),
  target_refused: invalid('The address of a webhook must be public.'),
  field_invalid: invalid('A field or header has a value that is not allowed.'),
  card_data_refused: invalid(
    'Card data is not accepted here. Remove it and send the request again.',
  ),
  idempotency_key_required: invalid('An Idempotency-Key header is required with a live key.'),
  idempotency_key_invalid: invalid('Idempotency-Key must be 1 to 255 printable ASCII characters.'),
  version_unknown: invalid('This version does not exist.'),
  live_not_enabled: invalid('LIVE is not enabled for this account.'),
} as const satisfies Record<string, ErrorRow>;

const UNAUTHENTICATED = {
  credential_missing: unauthenticated(
    'A credential is required: Authorization: Bearer, or X-Api-Key.',
  ),
  credential_invalid: unauthenticated('The credential is not valid.'),
  credential_wrong_kind: unauthenticated('This kind of credential cannot be used here.'),
  credential_mixed: unauthenticated('Send exactly one credential.'),
  session_expired: unauthenticated('The session has ended. Log in again.'),
  login_failed: unauthenticated('The e-mail address or the password is wrong.'),
} as const satisfies Record<string, ErrorRow>;

const FORBIDDEN = {
  role_insufficient: forbidden('Your role does not allow this.'),
  scope_insufficient: forbidden('The scopes of this key do not allow this.'),
  address_not_allowed: forbidden('This key cannot be used from this address.'),
} as const satisfies Record<string, ErrorRow>;

const NOT_FOUND = {
  payment_not_found: missing('payment'),
  refund_not_found: missing('refund'),
  payout_not_found: missing('payout'),
  event_not_found: missing('event'),
  api_key_not_found: missing('API key'),
  webhook_not_found: missing('webhook endpoint'),
  delivery_not_found: missing('delivery'),
  replay_not_found: missing('replay'),
  payment_link_not_found: missing('payment link'),
  invoice_not_found: missing('invoice'),
  api_log_not_found: missing('log entry'),
  user_not_found: missing('user'),
  session_not_found: missing('session'),
  merchant_not_found: missing('merchant'),
  document_not_found: missing('document'),
  task_not_found: missing('task'),
  erasure_not_found: missing('erasure'),
  path_not_found: row(404, 'not_found', 'There is nothing at this path.'),
} as const satisfies Record<string, ErrorRow>;

const REFUSED_FORMS = {
  method_not_allowed: row(405, 'invalid_request', 'This path does not take this method.'),
  body_too_large: row(413, 'invalid_request', 'The body is too large.'),
  media_type_unsupported: row(
    415,
    'invalid_request',
    'A body must be sent as application/json in UTF-8.',
  ),
} as const satisfies Record<string, ErrorRow>;

const CONFLICTS = {
  idempotency_conflict: conflict('This Idempotency-Key was used with another body.'),
  state_conflict: conflict('The current status does not allow this.'),
  refund_exceeds_payment: conflict(
    'Open and completed refunds together cannot exceed the payment.',
  ),
  balance_insufficient: conflict('The available balance is too low.'),
} as const satisfies Record<string, ErrorRow>;

const FAILURES = {
  rate_limited: row(429, 'rate_limited', 'Too many requests. Wait, then try again.'),
  internal_error: row(500, 'internal', 'Something went wrong on our side. It was reported.'),
  payment_processing_failed: row(
    502,
    'processing',
    'The payment could not be processed. Try again with a new Idempotency-Key.',
  ),
  overloaded: unavailable(503, 'Too busy to take this request. Nothing was done; try again.'),
  dependency_unavailable: unavailable(
    503,
    'A part of the service cannot be reached. Nothing was done; try again.',
  ),
  outcome_unknown: unavailable(
    504,
    'There is no answer yet. Look the payment up, or repeat with the same Idempotency-Key.',
  ),
} as const satisfies Record<string, ErrorRow>;

export const ERRORS = {
  ...BAD_REQUESTS,
  ...UNAUTHENTICATED,
  ...FORBIDDEN,
  ...NOT_FOUND,
  ...REFUSED_FORMS,
  ...CONFLICTS,
  ...FAILURES,
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

/** What the core refuses, in the words of the API. */
const REJECTIONS = {
  payment_not_found: 'payment_not_found',
  refund_not_found: 'refund_not_found',
  idempotency_conflict: 'idempotency_conflict',
  state_conflict: 'state_conflict',
  refund_exceeds_payment: 'refund_exceeds_payment',
  payment_method_unavailable: 'payment_method_unavailable',
  attempt_limit_reached: 'state_conflict',
  refund_limit_reached: 'state_conflict',
  payment_processing_failed: 'payment_processing_failed',
  outcome_unknown: 'outcome_unknown',
} as const satisfies Record<Rejection, ErrorCode>;

export function codeOf(rejection: Rejection): ErrorCode {
  return REJECTIONS[rejection];
}
