// The one table of error codes: status, type and message of each. A new rejection of actors/core does not compile until
// REJECTIONS maps it to a code.
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

const buildRow = (status: number, type: ErrorType, message: string): ErrorRow => ({
  status,
  type,
  message,
});
const buildInvalid = (message: string): ErrorRow => buildRow(400, 'invalid_request', message);
const buildUnauthenticated = (message: string): ErrorRow =>
  buildRow(401, 'authentication', message);
const buildForbidden = (message: string): ErrorRow => buildRow(403, 'permission', message);
const buildMissing = (resource: string): ErrorRow =>
  buildRow(
    404,
    'not_found',
    `There is no such ${resource}, or it belongs to another account or environment.`,
  );
const buildConflict = (message: string): ErrorRow => buildRow(409, 'conflict', message);
const buildUnavailable = (status: 503 | 504, message: string): ErrorRow =>
  buildRow(status, 'unavailable', message);

const BAD_REQUESTS = {
  body_invalid: buildInvalid('The body is not valid JSON of the form that this call takes.'),
  amount_invalid: buildInvalid('amount must be a string of digits, in minor units.'),
  amount_out_of_range: buildInvalid('amount is outside the range that can be paid.'),
  currency_unsupported: buildInvalid('currency is not offered.'),
  payment_method_unavailable: buildInvalid('payment_method is not offered for this payment.'),
  url_invalid: buildInvalid(
    'An address must be an https:// URL without user info or control characters.',
  ),
  target_refused: buildInvalid('The address of a webhook must be public.'),
  field_invalid: buildInvalid('A field or header has a value that is not allowed.'),
  card_data_refused: buildInvalid(
    'Card data is not accepted here. Remove it and send the request again.',
  ),
  idempotency_key_required: buildInvalid('An Idempotency-Key header is required with a live key.'),
  idempotency_key_invalid: buildInvalid(
    'Idempotency-Key must be 1 to 255 printable ASCII characters.',
  ),
  version_unknown: buildInvalid('This version does not exist.'),
  live_not_enabled: buildInvalid('LIVE is not enabled for this account.'),
} as const satisfies Record<string, ErrorRow>;

const UNAUTHENTICATED = {
  credential_missing: buildUnauthenticated(
    'A credential is required: Authorization: Bearer, or X-Api-Key.',
  ),
  credential_invalid: buildUnauthenticated('The credential is not valid.'),
  credential_wrong_kind: buildUnauthenticated('This kind of credential cannot be used here.'),
  credential_mixed: buildUnauthenticated('Send exactly one credential.'),
  session_expired: buildUnauthenticated('The session has ended. Log in again.'),
  login_failed: buildUnauthenticated('The e-mail address or the password is wrong.'),
} as const satisfies Record<string, ErrorRow>;

const FORBIDDEN = {
  role_insufficient: buildForbidden('Your role does not allow this.'),
  scope_insufficient: buildForbidden('The scopes of this key do not allow this.'),
  address_not_allowed: buildForbidden('This key cannot be used from this address.'),
} as const satisfies Record<string, ErrorRow>;

const NOT_FOUND = {
  payment_not_found: buildMissing('payment'),
  refund_not_found: buildMissing('refund'),
  payout_not_found: buildMissing('payout'),
  event_not_found: buildMissing('event'),
  api_key_not_found: buildMissing('API key'),
  webhook_not_found: buildMissing('webhook endpoint'),
  delivery_not_found: buildMissing('delivery'),
  replay_not_found: buildMissing('replay'),
  payment_link_not_found: buildMissing('payment link'),
  invoice_not_found: buildMissing('invoice'),
  api_log_not_found: buildMissing('log entry'),
  user_not_found: buildMissing('user'),
  session_not_found: buildMissing('session'),
  merchant_not_found: buildMissing('merchant'),
  document_not_found: buildMissing('document'),
  task_not_found: buildMissing('task'),
  approval_not_found: buildMissing('approval'),
  erasure_not_found: buildMissing('erasure'),
  path_not_found: buildRow(404, 'not_found', 'There is nothing at this path.'),
} as const satisfies Record<string, ErrorRow>;

const UNSUPPORTED = {
  method_not_allowed: buildRow(405, 'invalid_request', 'This path does not take this method.'),
  body_too_large: buildRow(413, 'invalid_request', 'The body is too large.'),
  media_type_unsupported: buildRow(
    415,
    'invalid_request',
    'A body must be sent as application/json in UTF-8.',
  ),
} as const satisfies Record<string, ErrorRow>;

const CONFLICTS = {
  idempotency_conflict: buildConflict('This Idempotency-Key was used with another body.'),
  state_conflict: buildConflict('The current status does not allow this.'),
  refund_exceeds_payment: buildConflict(
    'Open and completed refunds together cannot exceed the payment.',
  ),
  balance_insufficient: buildConflict('The available balance is too low.'),
} as const satisfies Record<string, ErrorRow>;

const FAILURES = {
  rate_limited: buildRow(429, 'rate_limited', 'Too many requests. Wait, then try again.'),
  internal_error: buildRow(500, 'internal', 'Something went wrong on our side. It was reported.'),
  payment_processing_failed: buildRow(
    502,
    'processing',
    'The payment could not be processed. Try again with a new Idempotency-Key.',
  ),
  overloaded: buildUnavailable(503, 'Too busy to take this request. Nothing was done; try again.'),
  dependency_unavailable: buildUnavailable(
    503,
    'A part of the service cannot be reached. Nothing was done; try again.',
  ),
  outcome_unknown: buildUnavailable(
    504,
    'There is no answer yet. Look the payment up, or repeat with the same Idempotency-Key.',
  ),
} as const satisfies Record<string, ErrorRow>;

export const ERRORS = {
  ...BAD_REQUESTS,
  ...UNAUTHENTICATED,
  ...FORBIDDEN,
  ...NOT_FOUND,
  ...UNSUPPORTED,
  ...CONFLICTS,
  ...FAILURES,
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

/** The code of each rejection of the core. */
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

export function findErrorCode(rejection: Rejection): ErrorCode {
  return REJECTIONS[rejection];
}
