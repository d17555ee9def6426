// The cause and the remedy of each error code. The OpenAPI documents and the page behind `doc_url` are made from them. A
// new code does not compile until it has a row.
import type { ErrorCode } from './errors.js';

export interface ErrorHelp {
  /** Why the API answers it. */
  readonly cause: string;
  /** How the caller gets past it. */
  readonly remedy: string;
}

const explain = (cause: string, remedy: string): ErrorHelp => ({ cause, remedy });

const OF_REQUESTS = {
  body_invalid: explain(
    'The body is no JSON object, has a field twice or one that this call does not know, or is missing.',
    'Send one JSON object with the fields of the reference. The message lists the fields that the call takes.',
  ),
  amount_invalid: explain(
    'An amount is a JSON number, has a decimal point, a separator or a sign, or is missing.',
    'Send a string of 1 to 15 digits in minor units: "150000" is Rp 150.000.',
  ),
  amount_out_of_range: explain(
    'The amount is zero, or outside the range of the payment method.',
    'Read min_amount and max_amount of the method in GET /v1/payment-methods, or leave payment_method out.',
  ),
  currency_unsupported: explain(
    'No payment method takes the currency.',
    'Send IDR, or leave currency out.',
  ),
  payment_method_unavailable: explain(
    'The payment method does not exist, is switched off, or no rail offers it in LIVE at the moment.',
    'Choose one of GET /v1/payment-methods, or leave payment_method out: the customer then chooses among the offered ones.',
  ),
  url_invalid: explain(
    'An address is relative, is not HTTPS, or contains user information, spaces or control characters. In TEST, ' +
      '`success_url` and `cancel_url` may also be http on a loopback address.',
    'Send an absolute https:// URL of at most 2048 characters, percent-encoded.',
  ),
  target_refused: explain(
    'The host of a webhook address does not resolve, or resolves to a private address, or the port is not allowed.',
    'Use a public host with port 443 or a port above 1023. For local tests use a tunnel.',
  ),
  field_invalid: explain(
    'A field, a parameter or a header has a value that is not allowed.',
    'Read param and message: they name the field and the allowed values.',
  ),
  card_data_refused: explain(
    'A text contains a card number or a security code, or another number that looks like a card number, such as an ' +
      'identity or virtual account number of 16 digits. The service must not store card data.',
    'Remove it. In front of a number that is no card number, write letters without a blank, such as NIK3580… or VA-6012…. The ' +
      'fields for tax, identity and account numbers take such numbers as they are.',
  ),
  idempotency_key_required: explain(
    'A request that creates something in LIVE has no Idempotency-Key, so a repeat would create it twice.',
    'Send a header Idempotency-Key with a text of your own for each object, such as the id of the order.',
  ),
  idempotency_key_invalid: explain(
    'The header Idempotency-Key is empty, too long, or holds other characters.',
    'Send 1 to 255 printable ASCII characters. A UUID or an order id is fine.',
  ),
  version_unknown: explain(
    'The version header names a version that does not exist.',
    'Send one of the versions in the message, or leave the header out.',
  ),
  live_not_enabled: explain(
    'A live key was used, or a LIVE object requested, before LIVE was enabled for the account, or after it was suspended.',
    'Submit the KYC form (POST /v1/merchants/kyc/submit). After the approval an administrator enables LIVE. Until then, ' +
      'use a test key (sk_test_…): everything works as in LIVE, but no money moves.',
  ),
  method_not_allowed: explain(
    'The path exists, but not with this HTTP method.',
    'Use a method of the header Allow.',
  ),
  body_too_large: explain(
    'The body is larger than the path takes: 64 KiB, 8 KiB without a key or a session, and 8 MiB for documents.',
    'Send less. A document needs a Content-Length.',
  ),
  media_type_unsupported: explain(
    'The body was sent as a form, without a media type, or compressed (`Content-Encoding`).',
    'Send JSON as it is, with the header Content-Type: application/json.',
  ),
  expectation_unsupported: explain(
    'The request has a header Expect with another value than 100-continue.',
    'Send it without Expect.',
  ),
} as const satisfies Partial<Record<ErrorCode, ErrorHelp>>;

const OF_CREDENTIALS = {
  credential_missing: explain(
    'The request has neither Authorization nor X-Api-Key; nor, on a call of the dashboard, the cookie of a session.',
    'Send Authorization: Bearer with your secret key or session. Some HTTP clients drop it when they follow a redirect.',
  ),
  credential_invalid: explain(
    'The key is misspelt, revoked, rolled, or of another installation; or the session does not exist.',
    'Copy the key again, or make a new one in the dashboard.',
  ),
  credential_wrong_kind: explain(
    'A secret key was sent to a call of the dashboard, or a session to a call of the API.',
    'Send the kind of credential that the message names.',
  ),
  credential_mixed: explain(
    'Authorization and X-Api-Key hold different credentials, or there are two cookies of a session.',
    'Send one of the two headers. Delete the cookies of the site, and log in again.',
  ),
  session_expired: explain(
    'The session was not used for an hour, is older than 12 hours, or was ended.',
    'Log in again (POST /v1/auth/login).',
  ),
  login_failed: explain(
    'The e-mail address, the password or the code of the second factor is wrong. The answer does not say which.',
    'Try again, or reset the password (POST /v1/auth/password-reset).',
  ),
  role_insufficient: explain(
    'The role of the user does not allow the call, or it needs a second factor.',
    'Ask an owner of the merchant, or set up the second factor that the message asks for.',
  ),
  scope_insufficient: explain(
    'The key is restricted to other scopes. A live key pays out only with the scope payouts.',
    'Make a key with the scope that the message names.',
  ),
  origin_not_allowed: explain(
    'A request with the cookie of a session has a method other than GET, and its header Origin is missing or names another host.',
    'Send it from a page of this host: browsers add the header by themselves. A program sends the session as Authorization: Bearer.',
  ),
  address_not_allowed: explain(
    'The key has allowed_addresses, and the request came from another address.',
    'Call from a listed address, or make a key whose list contains it.',
  ),
} as const satisfies Partial<Record<ErrorCode, ErrorHelp>>;

const explainMissing = (object: string, list: string): ErrorHelp =>
  explain(
    `The id of the ${object} is misspelt, of another merchant, or of the other environment: a test key sees TEST only.`,
    `Check the key's environment, and look for the ${object} in ${list}.`,
  );

const OF_OBJECTS = {
  payment_not_found: explainMissing('payment', 'GET /v1/payments'),
  refund_not_found: explainMissing('refund', 'GET /v1/refunds'),
  payout_not_found: explainMissing('payout', 'GET /v1/payouts'),
  event_not_found: explainMissing('event', 'GET /v1/events'),
  api_key_not_found: explainMissing('API key', 'the list of keys'),
  passkey_not_found: explain(
    'The id of the passkey is misspelt, of another user, or of a removed one.',
    'Look for it in GET /v1/auth/passkeys.',
  ),
  webhook_not_found: explainMissing('webhook endpoint', 'the list of endpoints'),
  delivery_not_found: explainMissing('delivery', 'the deliveries of its endpoint'),
  replay_not_found: explainMissing('replay', 'the answer that started it'),
  payment_link_not_found: explainMissing('payment link', 'the list of links'),
  invoice_not_found: explainMissing('invoice', 'the list of invoices'),
  api_log_not_found: explainMissing('log entry', 'the list of requests'),
  user_not_found: explainMissing('user', 'the list of users'),
  session_not_found: explainMissing('session', 'the list of sessions'),
  merchant_not_found: explainMissing('merchant', 'the list of merchants'),
  document_not_found: explainMissing('document', 'the verification of the merchant'),
  task_not_found: explainMissing('task', 'the list of tasks'),
  approval_not_found: explainMissing('approval', 'the list of approvals'),
  erasure_not_found: explainMissing('erasure', 'the list of erasures'),
  path_not_found: explain(
    'No route has this path: a misspelling, a missing /v1, or a slash at the end.',
    'Compare the path with the reference.',
  ),
} as const satisfies Partial<Record<ErrorCode, ErrorHelp>>;

const OF_STATES = {
  idempotency_conflict: explain(
    'The Idempotency-Key belongs to an object that was created with another body.',
    'To repeat, send the same body. For another object, choose a new key.',
  ),
  state_conflict: explain(
    'The object is in a status that does not allow the call, such as a cancel of a paid payment.',
    'Read the object. The message names its status, and the one that the call needs.',
  ),
  refund_exceeds_payment: explain(
    'The refund, with the refunds that are open or done, is more than the payment.',
    'Refund at most refundable_amount of the payment; without amount, all that is left is refunded.',
  ),
  balance_insufficient: explain(
    'The payout is more than the available balance. Money of recent payments may still be pending.',
    'Read GET /v1/balance. Pay out at most available, or wait until pending money has become available.',
  ),
  rate_limited: explain(
    'There were more requests than the limit allows.',
    'Wait for the seconds in Retry-After, then repeat. RateLimit-Remaining tells how many are left.',
  ),
} as const satisfies Partial<Record<ErrorCode, ErrorHelp>>;

const OF_FAILURES = {
  internal_error: explain(
    'A fault on our side. It was reported.',
    'Repeat with the same Idempotency-Key. If it stays, send us the request_id.',
  ),
  payment_processing_failed: explain(
    'No rail took the payment, for example because its bank refused it.',
    'Create the payment again with a new Idempotency-Key, or with another payment_method.',
  ),
  overloaded: explain(
    'There is more work than can be taken at once. Nothing was done.',
    'Wait for the seconds in Retry-After, then repeat with the same Idempotency-Key.',
  ),
  dependency_unavailable: explain(
    'A part of the service cannot be reached, or is switched off. Nothing was done.',
    'Wait for the seconds in Retry-After, then repeat with the same Idempotency-Key.',
  ),
  outcome_unknown: explain(
    'The request was accepted, but its outcome was not known in time, for example because a rail is slow.',
    'Look the object up, or repeat with the same Idempotency-Key: it is never done twice. Do not choose a new key.',
  ),
} as const satisfies Partial<Record<ErrorCode, ErrorHelp>>;

export const ERROR_HELP: Readonly<Record<ErrorCode, ErrorHelp>> = {
  ...OF_REQUESTS,
  ...OF_CREDENTIALS,
  ...OF_OBJECTS,
  ...OF_STATES,
  ...OF_FAILURES,
};
