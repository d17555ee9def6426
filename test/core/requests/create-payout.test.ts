// Bodies of payout requests: parsing, errors, fingerprints.
import t from 'tap';
import type { PayoutRequest } from '#actors/core/payout/state.js';
import { parsePayoutRequest, fingerprintPayout } from '#actors/core/requests/create-payout.js';

const BODY = {
  amount: '0050000',
  bank_code: 'BCA',
  account_number: '1234567890',
  account_holder: 'Budi Santoso',
};

function parse(changes: object): PayoutRequest {
  const parsed = parsePayoutRequest({ ...BODY, ...changes });
  if ('code' in parsed) throw new Error(parsed.code);
  return parsed;
}

t.test('a body is parsed, with null for absent fields', (t) => {
  t.strictSame(parse({}), {
    amountMinor: 50_000n,
    currency: 'IDR',
    bankCode: 'BCA',
    accountNumber: '1234567890',
    accountHolder: 'Budi Santoso',
    referenceId: null,
    description: null,
  });
  t.match(parse({ reference_id: 'r', description: 'd' }), { referenceId: 'r', description: 'd' });
  t.end();
});

t.test('separators of the account number are ignored, also for the fingerprint', (t) => {
  for (const typed of ['123-456 7890', '\u202a1234567890\u202c', '123.456.7890\n']) {
    const request = parse({ account_number: typed });
    t.equal(request.accountNumber, '1234567890');
    t.equal(fingerprintPayout(request), fingerprintPayout(parse({})));
  }
  t.end();
});

t.test('hidden characters of texts are removed, also for the fingerprint', (t) => {
  const clean = { account_holder: 'Budi', reference_id: 'r-1', description: 'a b' };
  const sent = {
    account_holder: 'Bu\u200bdi',
    reference_id: '\ufeffr-1\n',
    description: 'a\nb\u202e',
  };
  t.strictSame(parse(sent), parse(clean));
  t.equal(fingerprintPayout(parse(sent)), fingerprintPayout(parse(clean)));
  const nothing = { ...BODY, account_holder: '\u200b' };
  t.match(parsePayoutRequest(nothing), { code: 'field_invalid', param: 'account_holder' });
  t.end();
});

t.test('an invalid body has the code and the field of its first error', (t) => {
  const cases: readonly [changes: object, code: string, param: string | null, message?: RegExp][] =
    [
      [{ amount: 1 }, 'amount_invalid', 'amount'],
      [{ amount: '0' }, 'amount_out_of_range', 'amount', /above 0/],
      [{ currency: 'EUR' }, 'currency_unsupported', 'currency'],
      [{ account_number: '12a45' }, 'field_invalid', 'account_number', /5 to 34 digits/],
      [{ bank_code: 'Bca' }, 'field_invalid', 'bank_code', /one of BCA, BNI/],
      [{ bank_code: 'NO_BANK' }, 'field_invalid', 'bank_code', /one of BCA, BNI/],
      [{ account_holder: '' }, 'field_invalid', 'account_holder', /account_holder/],
      [{ description: '4111111111111111' }, 'card_data_refused', 'description'],
      [{ more: 1 }, 'body_invalid', 'more'],
    ];
  for (const [changes, code, param, message = /^/] of cases) {
    const fault = parsePayoutRequest({ ...BODY, ...changes });
    t.match(fault, { code, param }, `${code} ${param ?? ''}`);
    t.match('message' in fault ? fault.message : '', message);
  }
  const { amount, bank_code, account_holder } = BODY;
  const rest = { amount, bank_code, account_holder };
  t.match(parsePayoutRequest(rest), {
    code: 'field_invalid',
    param: 'account_number',
    message: 'account_number is required and must be a string of 5 to 34 digits.',
  });
  t.match(parsePayoutRequest([]), { code: 'body_invalid', param: null });
  t.end();
});

t.test('a fingerprint is equal for equal requests and differs with each field', (t) => {
  const print = (changes: object) => fingerprintPayout(parse(changes));
  t.equal(print({}), print({ amount: '50000', currency: 'IDR' }));
  const others = [
    { amount: '50001' },
    { bank_code: 'BNI' },
    { account_number: '12345678901' },
    { account_holder: 'Budi' },
    { reference_id: 'r' },
    { description: 'r' },
  ].map(print);
  t.equal(new Set([print({}), ...others]).size, 7);
  t.match(print({}), /^1:[\w-]{22}$/);
  t.end();
});
