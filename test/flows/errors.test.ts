// The errors of the contract on the paths of the service: status, type, code, body and headers.
import t, { type Test } from 'tap';
import { type ApiAnswer, type ApiCall, openApi } from '../support/api.js';
import { uniqueWord } from '../support/processes.js';
import { useService } from '../support/standing/service.js';

const service = await useService();
const merchant = service.api;
const anonymous = openApi(service.baseUrl);
const UNKNOWN = `pay_${'0'.repeat(26)}`;
const BODY = { amount: '150000', currency: 'IDR' };

/** Each error has the body of the contract, and its request id in the header too. */
function isError(t: Test, answer: ApiAnswer, status: number, code: string): void {
  t.strictSame([answer.status, answer.code], [status, code]);
  const error = answer.body['error'] as Record<string, unknown> | undefined;
  t.match(error, { type: String, message: String, request_id: /^req_/ });
  t.equal(error?.['request_id'], answer.headers['service-request-id']);
  t.match(String(error?.['doc_url']), new RegExp(`/docs/errors#${code}$`));
  t.match(answer.headers['content-type'], /^application\/json/);
}

const post = (body: unknown, headers: ApiCall['headers'] = {}): Promise<ApiAnswer> =>
  merchant.call('/v1/payments', { method: 'POST', body, headers });

t.test('an invalid body is answered 400 and names its field', async (t) => {
  const long = (length: number): string => 'x'.repeat(length);
  const cases: readonly (readonly [unknown, string, string | null])[] = [
    ['{"amount":', 'body_invalid', null],
    ['[]', 'amount_invalid', 'amount'],
    ['[1]', 'body_invalid', null],
    ['{"amount":"1","amount":"2"}', 'body_invalid', null],
    [{ ...BODY, surprise: 1 }, 'body_invalid', 'surprise'],
    [{ ...BODY, card_number: '4111111111111111' }, 'body_invalid', 'card_number'],
    [{ ...BODY, amount: 150_000 }, 'amount_invalid', 'amount'],
    [{ ...BODY, amount: '1.5' }, 'amount_invalid', 'amount'],
    [{ ...BODY, amount: '-1' }, 'amount_invalid', 'amount'],
    [{ ...BODY, amount: long(16) }, 'amount_invalid', 'amount'],
    [{ ...BODY, amount: '000' }, 'amount_out_of_range', 'amount'],
    [{ amount: '10000001', payment_method: 'QRIS' }, 'amount_out_of_range', 'amount'],
    [{ ...BODY, currency: 'USD' }, 'currency_unsupported', 'currency'],
    [{ ...BODY, payment_method: 'CASH' }, 'payment_method_unavailable', 'payment_method'],
    [{ ...BODY, success_url: 'http://example.com' }, 'url_invalid', 'success_url'],
    [{ ...BODY, cancel_url: 'https://a:b@example.com' }, 'url_invalid', 'cancel_url'],
    [{ ...BODY, description: long(501) }, 'field_invalid', 'description'],
    [{ ...BODY, reference_id: long(129) }, 'field_invalid', 'reference_id'],
    [{ ...BODY, description: 'a\u0000b' }, 'field_invalid', 'description'],
    ['{"amount":"1","description":"\\ud800"}', 'field_invalid', 'description'],
    [{ ...BODY, metadata: { a: 1 } }, 'field_invalid', 'metadata'],
    [{ ...BODY, expires_in: 59 }, 'field_invalid', 'expires_in'],
    [{ ...BODY, expires_in: 604_801 }, 'field_invalid', 'expires_in'],
    [{ ...BODY, description: 'card 4111 1111 1111 1111' }, 'card_data_refused', 'description'],
  ];
  for (const [body, code, param] of cases) {
    const answer = await post(body);
    t.comment(JSON.stringify(body).slice(0, 80));
    isError(t, answer, 400, code);
    const found = (answer.body['error'] as { param: string | null }).param;
    if (param !== null) t.ok(found?.startsWith(param), `names ${found}`);
  }
});

t.test(
  'a number that looks like a card number is refused with the way out, which helps',
  async (t) => {
    for (const [number, prefixed] of [
      ['3580015001900018', 'NIK3580015001900018'],
      ['6012123456789018', 'VA-6012123456789018'],
    ] as const) {
      for (const field of ['reference_id', 'description', 'customer_name']) {
        const refused = await post({ ...BODY, [field]: number });
        isError(t, refused, 400, 'card_data_refused');
        t.match(
          refused.text,
          /identity or virtual account number, write letters directly in front/,
        );
        t.notMatch(refused.text, number);
        isError(t, await post({ ...BODY, [field]: `NIK ${number}` }), 400, 'card_data_refused');
        t.equal((await post({ ...BODY, [field]: prefixed })).status, 201, `${field} ${prefixed}`);
      }
      for (const filter of ['q', 'reference_id']) {
        const refused = await merchant.call(`/v1/payments?${filter}=${number}`);
        isError(t, refused, 400, 'card_data_refused');
        t.match(refused.text, /write letters directly in front of it/);
        t.equal((await merchant.call(`/v1/payments?${filter}=${prefixed}`)).status, 200);
      }
    }
    const help = await (await fetch(`${service.baseUrl}/docs/errors`)).text();
    t.match(help, /Letters directly in front help/);
  },
);

t.test('an invalid header is answered with its error', async (t) => {
  isError(t, await post(BODY, { 'service-version': '2020-01-01' }), 400, 'version_unknown');
  const accented = { 'idempotency-key': '\u00e9' };
  isError(t, await post(BODY, accented), 400, 'idempotency_key_invalid');
  const long = { 'idempotency-key': 'x'.repeat(256) };
  isError(t, await post(BODY, long), 400, 'idempotency_key_invalid');
  isError(t, await post(BODY, { 'content-type': 'text/plain' }), 415, 'media_type_unsupported');
  const large = await post({ ...BODY, description: 'x'.repeat(70_000) });
  isError(t, large, 413, 'body_too_large');
});

t.test('a missing or wrong credential is answered 401', async (t) => {
  const create = (headers: ApiCall['headers']): Promise<ApiAnswer> =>
    anonymous.call('/v1/payments', { method: 'POST', body: BODY, headers: headers ?? {} });
  const { testKey, liveKey } = service.merchant;
  isError(t, await create({}), 401, 'credential_missing');
  isError(t, await create({ authorization: 'Bearer nonsense' }), 401, 'credential_invalid');
  const mistyped = `${testKey.slice(0, -1)}${testKey.endsWith('a') ? 'b' : 'a'}`;
  isError(t, await create({ 'x-api-key': mistyped }), 401, 'credential_invalid');
  const both = { authorization: `Bearer ${testKey}`, 'x-api-key': liveKey };
  isError(t, await create(both), 401, 'credential_mixed');
  const session = { authorization: 'Bearer cs_0123456789abcdef0123456789abcdef' };
  isError(t, await create(session), 401, 'credential_wrong_kind');
  t.equal((await create({ 'x-api-key': testKey })).status, 201, 'X-Api-Key works too');
});

t.test('a live key of an unapproved merchant is live_not_enabled', async (t) => {
  const live = openApi(service.baseUrl, service.merchant.liveKey);
  isError(t, await live.create(BODY, uniqueWord()), 400, 'live_not_enabled');
});

t.test('an unknown path or id is 404 and an unknown method 405', async (t) => {
  isError(t, await merchant.get(UNKNOWN), 404, 'payment_not_found');
  isError(t, await merchant.get('pay_1'), 404, 'payment_not_found');
  isError(t, await merchant.get('%00'), 404, 'payment_not_found');
  isError(t, await merchant.cancel(UNKNOWN), 404, 'payment_not_found');
  isError(t, await anonymous.simulate(UNKNOWN, 'paid'), 404, 'payment_not_found');
  isError(t, await anonymous.simulate(UNKNOWN, 'maybe'), 400, 'field_invalid');
  isError(t, await anonymous.call('/v1/nothing'), 404, 'path_not_found');
  isError(t, await anonymous.call('/'), 404, 'path_not_found');
  const put = await merchant.call('/v1/payments', { method: 'PUT', body: BODY });
  isError(t, put, 405, 'method_not_allowed');
  t.match(put.headers['allow'], /POST/);
});

t.test('a reused key with another body and a settled payment are 409', async (t) => {
  const key = uniqueWord();
  const { body } = await merchant.create(BODY, key);
  isError(t, await merchant.create({ ...BODY, amount: '7' }, key), 409, 'idempotency_conflict');
  await merchant.simulate(body['id'], 'paid');
  isError(t, await merchant.cancel(body['id']), 409, 'state_conflict');
});

t.test('each answer has a request id and the version', async (t) => {
  const created = await merchant.create(BODY);
  t.match(created.headers['service-request-id'], /^req_/);
  t.equal(created.headers['service-version'], '2026-08-02');
  const other = await merchant.get(created.body['id']);
  t.not(other.headers['service-request-id'], created.headers['service-request-id']);
});
