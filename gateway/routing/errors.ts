// The one table of error codes: status, type and message of each. The causes and remedies are in error-help.ts. A new
// rejection of actors/core does not compile until REJECTIONS maps it to a code.
import { AMOUNT_REQUIREMENT, CURRENCY_REQUIREMENT } from '#actors/core/money.js';
import type { Rejection } from '#actors/core/payment/outcome.js';
import { METHOD_REQUIREMENT, PAGE_URL_REQUIREMENT } from '#actors/core/schemas/fields.js';

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
  /** Completes the message "<field> …" of an error that names a field. */
  readonly requirement?: string;
}

const buildRow = (status: number, type: ErrorType, message: string): ErrorRow => ({
  status,
  type,
  message,
});
const buildInvalid = (message: string): ErrorRow => buildRow(400, 'invalid_request', message);
/** An error of one field; its message names the field. */
const buildInvalidField = (field: string, requirement: string): ErrorRow => ({
  ...buildInvalid(`${field} ${requirement}.`),
  requirement,
});
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
  amount_invalid: buildInvalidField('amount', AMOUNT_REQUIREMENT),
  amount_out_of_range: buildInvalidField(
    'amount',
    'must be within the range of the payment method (GET /v1/payment-methods)',
  ),
  currency_unsupported: buildInvalidField('currency', CURRENCY_REQUIREMENT),
  payment_method_unavailable: buildInvalidField('payment_method', METHOD_REQUIREMENT),
  url_invalid: buildInvalidField('An address', PAGE_URL_REQUIREMENT),
  target_refused: buildInvalid('The address of a webhook must be public.'),
  field_invalid: buildInvalid('A field or header has a value that is not allowed.'),
  card_data_refused: buildInvalidField(
    'A field',
    'must not contain card data, such as a card number or a security code. Remove it and send the request again. If it is ' +
      'another number that looks like one, such as an identity or virtual account number, write letters directly in front of it, ' +
      'such as NIK or VA',
  ),
  idempotency_key_required: buildInvalid(
    'An Idempotency-Key header is required with a live key: choose a text of your own for each object, such as the ' +
      'id of the order.',
  ),
  idempotency_key_invalid: buildInvalid(
    'Idempotency-Key must be 1 to 255 printable ASCII characters.',
  ),
  version_unknown: buildInvalid('This version does not exist.'),
  live_not_enabled: buildInvalid(
    'LIVE is not enabled for this account. Submit the KYC form in the dashboard (POST /v1/merchants/kyc/submit); LIVE ' +
      'works once it is approved and an administrator has enabled it. Until then use a test key (sk_test_…).',
  ),
} as const satisfies Record<string, ErrorRow>;

const UNAUTHENTICATED = {
  credential_missing: buildUnauthenticated(
    'A credential is required: Authorization: Bearer <secret key or session>, or X-Api-Key: <secret key>.',
  ),
  credential_invalid: buildUnauthenticated(
    'The credential is not valid: it is misspelt, revoked or of another installation.',
  ),
  credential_wrong_kind: buildUnauthenticated('This kind of credential cannot be used here.'),
  credential_mixed: buildUnauthenticated(
    'Send exactly one credential: Authorization and X-Api-Key hold different ones.',
  ),
  session_expired: buildUnauthenticated('The session has ended. Log in again.'),
  login_failed: buildUnauthenticated('The e-mail address or the password is wrong.'),
} as const satisfies Record<string, ErrorRow>;

const FORBIDDEN = {
  role_insufficient: buildForbidden('Your role does not allow this.'),
  scope_insufficient: buildForbidden('The scopes of this key do not allow this.'),
  origin_not_allowed: buildForbidden(
    'A request with the cookie of a session must come from a page of this host.',
  ),
  address_not_allowed: buildForbidden(
    "This key cannot be used from this address. The key's allowed_addresses must contain it.",
  ),
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
  passkey_not_found: buildMissing('passkey'),
  merchant_not_found: buildMissing('merchant'),
  document_not_found: buildMissing('document'),
  task_not_found: buildMissing('task'),
  approval_not_found: buildMissing('approval'),
  erasure_not_found: buildMissing('erasure'),
  path_not_found: buildRow(
    404,
    'not_found',
    'There is nothing at this path. /docs lists all paths.',
  ),
} as const satisfies Record<string, ErrorRow>;

const UNSUPPORTED = {
  method_not_allowed: buildRow(405, 'invalid_request', 'This path does not take this method.'),
  body_too_large: buildRow(413, 'invalid_request', 'The body is too large.'),
  media_type_unsupported: buildRow(
    415,
    'invalid_request',
    'A body must be sent with Content-Type: application/json, in UTF-8.',
  ),
  expectation_unsupported: buildRow(
    417,
    'invalid_request',
    'Expect must be 100-continue. Send the request again with it, or without Expect.',
  ),
} as const satisfies Record<string, ErrorRow>;

const CONFLICTS = {
  idempotency_conflict: buildConflict(
    'This Idempotency-Key was used with another body. Send the first body again, or choose a new key.',
  ),
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

/** Names the field and what the code requires of it; undefined: the table does not know more than its message. */
export function explainCode(code: ErrorCode, param: string): string | undefined {
  const { requirement }: ErrorRow = ERRORS[code];
  return requirement === undefined ? undefined : `${param} ${requirement}.`;
}

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
