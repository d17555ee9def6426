// Bodies of refund requests: parsing, errors, fingerprints; balances and lists.
import t from 'tap';
import type { MerchantId, PaymentId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import {
  parseRefundRequest,
  fingerprintRefund,
  type RefundRequest,
} from '#actors/core/requests/create-refund.js';
import { listBalanceAccounts, viewBalance } from '#actors/core/schemas/balance.js';
import { buildPageSchema, buildListSchema } from '#actors/core/schemas/fields.js';
import { Refund } from '#actors/core/schemas/refund.js';

const ID = 'pay_00000000000000000000000000' as PaymentId;

t.test('a body is parsed, with null for absent fields', (t) => {
  t.strictSame(parseRefundRequest({ payment_id: ID }), {
    paymentId: ID,
    amountMinor: null,
    reason: null,
    referenceId: null,
  });
  const full = { payment_id: ID, amount: '0050', reason: 'r', reference_id: '💳'.repeat(128) };
  t.strictSame(parseRefundRequest(full), {
    paymentId: ID,
    amountMinor: 50n,
    reason: 'r',
    referenceId: '💳'.repeat(128),
  });
  t.end();
});

t.test('hidden characters of texts are removed, also for the fingerprint', (t) => {
  const clean = parseRefundRequest({ payment_id: ID, reason: 'a b', reference_id: 'r-1' });
  const sent = { payment_id: ID, reason: 'a\nb\u202e', reference_id: '\ufeffr-1\u200b' };
  t.strictSame(parseRefundRequest(sent), clean);
  const nothing = { payment_id: ID, reason: '\u200b' };
  t.match(parseRefundRequest(nothing), { reason: null });
  t.end();
});

t.test('an invalid body has the code and the field of its first error', (t) => {
  const cases: readonly [body: unknown, code: string, param: string | null][] = [
    [null, 'body_invalid', null],
    [{}, 'field_invalid', 'payment_id'],
    [{ payment_id: 'pay_1' }, 'payment_not_found', 'payment_id'],
    [{ payment_id: ID, amount: '1.5' }, 'amount_invalid', 'amount'],
    [{ payment_id: ID, amount: '00' }, 'amount_out_of_range', 'amount'],
    [{ payment_id: ID, reason: '4111111111111111' }, 'card_data_refused', 'reason'],
    [{ payment_id: ID, reference_id: '\ud800' }, 'field_invalid', 'reference_id'],
    [{ payment_id: ID, reference_id: 'x'.repeat(129) }, 'field_invalid', 'reference_id'],
    [{ payment_id: ID, pan: 'x' }, 'body_invalid', 'pan'],
    [{ payment_id: ID, '4111111111111111': 'x' }, 'body_invalid', null],
    [{ payment_id: ID, ['x'.repeat(300)]: 'x' }, 'body_invalid', null],
  ];
  for (const [body, code, param] of cases) t.match(parseRefundRequest(body), { code, param });
  t.match(parseRefundRequest({}), {
    message:
      'payment_id is required and must be the id of a payment, such as pay_5jz8q4m1n7v2c9k3x6w0t4h8rb.',
  });
  t.end();
});

t.test('a fingerprint differs with each field', (t) => {
  const request: RefundRequest = {
    paymentId: ID,
    amountMinor: makeMinor(5n),
    reason: 'a',
    referenceId: null,
  };
  const others: Partial<RefundRequest>[] = [
    { amountMinor: makeMinor(6n) },
    { amountMinor: null },
    { reason: null },
    { reason: null, referenceId: 'a' },
    { paymentId: 'pay_00000000000000000000000001' as PaymentId },
  ];
  const all = [request, ...others.map((other) => ({ ...request, ...other }))];
  t.equal(new Set(all.map(fingerprintRefund)).size, all.length);
  t.equal(fingerprintRefund({ ...request }), fingerprintRefund(request));
  t.match(fingerprintRefund(request), /^1:[\w-]{22}$/);
  t.end();
});

t.test('a balance has every currency, and 0 for an account without postings', (t) => {
  const merchantId = 'mer_00000000000000000000000000' as MerchantId;
  const accounts = listBalanceAccounts(merchantId, 'LIVE');
  t.equal(accounts.length, 4);
  const [available = '', pending = ''] = accounts;
  const balances = new Map([
    [available, -5n],
    [pending, 7n],
  ]);
  t.strictSame(viewBalance(merchantId, 'LIVE', balances), {
    environment: 'LIVE',
    data: [{ currency: 'IDR', available: '-5', pending: '7', in_transit: '0', reserved: '0' }],
  });
  t.end();
});

t.test('a list has data, and a page a next_cursor too', (t) => {
  t.strictSame(Object.keys(buildPageSchema(Refund).properties), ['data', 'next_cursor']);
  t.strictSame(Object.keys(buildListSchema(Refund).properties), ['data']);
  t.end();
});
