// Limits of the hosted pages for clients that guess ids, and of IPv6 clients that change their address: two gateways
// behind a proxy.
import t from 'tap';
import { WebSocket } from 'undici';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { type ApiAnswer, openApi } from '#test/support/api.js';
import { startService, uniqueWord } from '#test/support/processes.js';

const PER_MINUTE = 12;
/** A quarter of the limit of a page. */
const UNKNOWN = 3;

const service = await startService(t, {
  gateways: 2,
  variables: {
    RATE_LIMIT_CHECKOUT: String(PER_MINUTE),
    RATE_LIMIT_SANDBOX: '3',
    RATE_LIMIT_LOGIN: '1',
    TRUSTED_PROXIES: '127.0.0.0/8',
  },
});
const { baseUrl, merchant } = service;
const api = openApi(baseUrl, merchant.testKey);

const ask = (path: string, client: string, gateway = 0): Promise<ApiAnswer> =>
  openApi(service.gateways[gateway]?.baseUrl ?? '').call(path, {
    headers: { 'x-forwarded-for': client },
  });

async function createPayment(): Promise<string> {
  return String((await api.create({ amount: '15000', payment_method: 'QRIS' })).body['id']);
}

/** An id that no payment has. */
const makeUnknownId = (index: number): string => `pay_${String(index).padStart(26, '0')}`;

t.test('a client that guesses payment ids is limited, by status and by page', async (t) => {
  const [known, unseen] = await Promise.all([createPayment(), createPayment()]);
  const client = '198.51.100.1';
  t.equal((await ask(`/checkout/${known}/status`, client)).status, 200);
  const codes: (string | undefined)[] = [];
  for (let index = 0; index < 10; index += 1) {
    const end = ['status', 'qr.png'][index % 2] ?? '';
    codes.push((await ask(`/checkout/${makeUnknownId(index)}/${end}`, client)).code);
  }
  t.same(codes.slice(0, UNKNOWN), Array(UNKNOWN).fill('payment_not_found'));
  t.ok(codes.filter((code) => code === 'rate_limited').length >= 10 - UNKNOWN - 1, codes.join());
  const refused = await ask(`/checkout/${unseen}/status`, client);
  t.equal(refused.code, 'rate_limited', 'also a page that this client has not opened before');
  t.ok(Number(refused.headers['retry-after']) > 1);
  t.equal((await ask(`/checkout/${known}/status`, client)).status, 200, 'an open page stays');
  t.equal((await ask(`/checkout/${unseen}/status`, '198.51.100.2')).status, 200, 'other clients');
  await waitUntil('the other gateway knows', async () => {
    const answer = await ask(`/checkout/${makeUnknownId(90)}/status`, client, 1);
    return answer.code === 'rate_limited';
  });
});

t.test('WebSockets for payments that do not exist are closed and counted', async (t) => {
  const client = '198.51.100.3';
  const listen = (id: string): Promise<{ heard: string[]; code: number }> => {
    const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/checkout/${id}/live`, {
      headers: { 'x-forwarded-for': client },
    });
    const heard: string[] = [];
    return new Promise((resolve) => {
      socket.addEventListener('message', ({ data }) => {
        heard.push(String(data));
        socket.close();
      });
      socket.addEventListener('close', ({ code }) => resolve({ heard, code }));
    });
  };
  t.match(await listen(await createPayment()), { heard: [/revision/] });
  for (let index = 0; index < UNKNOWN; index += 1) {
    t.match(await listen(makeUnknownId(index)), { heard: { length: 0 }, code: 4404 });
  }
  const refused = await ask(`/checkout/${makeUnknownId(1)}/status`, client);
  t.equal(refused.code, 'rate_limited', 'by the same limit as other pages');
  t.match(
    await listen(makeUnknownId(2)),
    { heard: { length: 0 }, code: 1006 },
    'not opened any more',
  );
});

t.test('a client is limited over all pages', async (t) => {
  const client = '198.51.100.4';
  const ids = await Promise.all(Array.from({ length: 40 }, createPayment));
  const answers = await Promise.all(
    ids.flatMap((id) =>
      Array.from({ length: PER_MINUTE }, () => ask(`/checkout/${id}/status`, client)),
    ),
  );
  const answered = answers.filter(({ status }) => status === 200).length;
  const limit = 30 * PER_MINUTE;
  t.ok(answered >= limit && answered < 40 * PER_MINUTE, `${answered} of ${40 * PER_MINUTE}`);
});

/** Asks from `count` networks of a prefix, and returns how many requests were let in. */
async function countFrom(prefix: (index: number) => string, count: number): Promise<number> {
  const path = `/v1/sandbox/payments/${makeUnknownId(0)}`;
  let within = 0;
  for (let index = 0; index < count; index += 1) {
    for (let time = 0; time < 3; time += 1) {
      if ((await ask(path, `${prefix(index)}::${time + 1}`)).code !== 'rate_limited') within += 1;
    }
  }
  return within;
}

t.test('IPv6 clients are limited by /64, by /56 and by /48', async (t) => {
  const hex = (index: number): string => index.toString(16);
  t.equal(await countFrom(() => '2001:db8:a:1', 2), 3, 'one /64');
  const in56 = await countFrom((index) => `2001:db8:b:${hex(index)}`, 8);
  t.ok(in56 >= 12 && in56 <= 14, `a /56 has four times the limit: ${in56} of 24`);
  const in48 = await countFrom((index) => `2001:db8:c:${hex(index * 256)}`, 24);
  t.ok(in48 >= 48 && in48 <= 54, `a /48 has 16 times the limit: ${in48} of 72`);
});

t.test('failed logins count by the wider networks of IPv6 too', async (t) => {
  const logIn = (index: number): Promise<ApiAnswer> =>
    openApi(baseUrl).call('/v1/auth/login', {
      method: 'POST',
      body: { email: `${uniqueWord()}@example.com`, password: 'x' },
      headers: { 'x-forwarded-for': `2001:db8:d:${index.toString(16)}::1` },
    });
  const refillMs = (15 * 60_000) / (4 * 12);
  const beganMs = performance.now();
  let failed = 0;
  while ((await logIn(failed)).code === 'login_failed') failed += 1;
  const refilled = Math.ceil((performance.now() - beganMs) / refillMs);
  t.ok(failed >= 4 * 12 && failed <= 4 * 12 + refilled, `${failed}, ${refilled} refilled`);
});
