// The error table against the contract, code by code.
import t from 'tap';
import { findErrorCode, ERRORS } from '#gateway/routing/errors.js';

const CONTRACT = {
  '400 invalid_request':
    'body_invalid amount_invalid amount_out_of_range currency_unsupported payment_method_unavailable url_invalid target_refused field_invalid card_data_refused idempotency_key_required idempotency_key_invalid version_unknown live_not_enabled',
  '401 authentication':
    'credential_missing credential_invalid credential_wrong_kind credential_mixed session_expired login_failed',
  '403 permission': 'role_insufficient scope_insufficient origin_not_allowed address_not_allowed',
  '404 not_found': 'payment_not_found refund_not_found path_not_found',
  '405 invalid_request': 'method_not_allowed',
  '413 invalid_request': 'body_too_large',
  '415 invalid_request': 'media_type_unsupported',
  '417 invalid_request': 'expectation_unsupported',
  '409 conflict': 'idempotency_conflict state_conflict refund_exceeds_payment balance_insufficient',
  '429 rate_limited': 'rate_limited',
  '500 internal': 'internal_error',
  '502 processing': 'payment_processing_failed',
  '503 unavailable': 'overloaded dependency_unavailable',
  '504 unavailable': 'outcome_unknown',
};

const table = new Map(Object.entries(ERRORS));

t.test('each code of the contract has its status and type', (test) => {
  for (const [head, codes] of Object.entries(CONTRACT)) {
    for (const code of codes.split(' ')) {
      const row = table.get(code);
      test.equal(`${row?.status} ${row?.type}`, head, code);
    }
  }
  test.end();
});

t.test('a code beyond the contract is another kind of not_found', (test) => {
  const known = new Set(Object.values(CONTRACT).flatMap((codes) => codes.split(' ')));
  for (const [code, { status }] of table) {
    if (!known.has(code)) test.match([code, status], [/_not_found$/, 404]);
  }
  test.end();
});

t.test('each message is a sentence that names no rail or store', (test) => {
  for (const [code, { message }] of table) {
    test.match(message, /^.+\.$/, code);
    test.notMatch(message, /midtrans|xendit|redis|postgres/i, code);
  }
  test.end();
});

t.test('each rejection of the core has an error code', (test) => {
  test.equal(findErrorCode('payment_not_found'), 'payment_not_found');
  test.equal(ERRORS[findErrorCode('refund_limit_reached')].status, 409);
  test.end();
});
