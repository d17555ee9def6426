// The panel of TEST payments on the hosted page: its buttons decide the outcome, and LIVE payments have no such thing.
import { request } from 'undici';
import t from 'tap';
import { openApi } from '#test/support/api.js';
import { createTestMerchant, startService, uniqueWord } from '#test/support/processes.js';

const PER_MINUTE = 12;
const PANEL = /<aside class="test"/;
const BUTTONS = /\/simulate"|name="outcome"/;
const UNKNOWN = 'pay_00000000000000000000000000';

const service = await startService(t, {
  variables: { RATE_LIMIT_CHECKOUT: String(PER_MINUTE), TRUSTED_PROXIES: '127.0.0.0/8' },
});
const { baseUrl, merchant } = service;
const api = openApi(baseUrl, merchant.testKey);

let clients = 0;

interface Shown {
  readonly status: number;
  readonly location: string;
  readonly retryAfter: string;
  readonly text: string;
}

/** `form` undefined: gets the page. Each call comes from another client by default. */
async function open(
  path: string,
  form?: string,
  { language = 'en', client = `198.51.100.${(clients += 1)}`, type = 'html' } = {},
): Promise<Shown> {
  const answer = await request(baseUrl + path, {
    method: form === undefined ? 'GET' : 'POST',
    headers: {
      accept: type === 'html' ? 'text/html' : 'application/json',
      'accept-language': language,
      'x-forwarded-for': client,
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(form === undefined ? {} : { body: form }),
  });
  const header = (name: string): string => String(answer.headers[name] ?? '');
  return {
    status: answer.statusCode,
    location: header('location'),
    retryAfter: header('retry-after'),
    text: await answer.body.text(),
  };
}

const create = async (fields: object = {}): Promise<string> =>
  String((await api.create({ amount: '150000', ...fields })).body['id']);

const simulate = (id: string, outcome: string): Promise<Shown> =>
  open(`/checkout/${id}/simulate`, `outcome=${outcome}`);

const statusOf = async (id: string): Promise<unknown> => (await api.get(id)).body['status'];

t.test('the page of a TEST payment has both buttons, in both languages', async (t) => {
  for (const fields of [{}, { payment_method: 'QRIS' }, { payment_method: 'VA_BCA' }]) {
    const path = `/checkout/${await create(fields)}`;
    const english = await open(path);
    t.match(english.text, PANEL);
    t.match(english.text, /Test mode: no money moves/);
    t.match(english.text, new RegExp(`<form method="post" action="${path}/simulate">`));
    t.match(english.text, /<button name="outcome" value="paid">Simulate paid</);
    t.match(english.text, /<button name="outcome" value="failed">Simulate failed</);
    const indonesian = await open(path, undefined, { language: 'id' });
    t.match(indonesian.text, /Mode uji coba/);
    t.match(
      indonesian.text,
      /value="paid">Simulasikan berhasil<[^]*value="failed">Simulasikan gagal</,
    );
  }
});

t.test('a button decides the outcome, and the page shows it without buttons', async (t) => {
  const cases = [
    { outcome: 'paid', title: 'Payment received', fields: { payment_method: 'QRIS' } },
    { outcome: 'failed', title: 'Payment failed', fields: {} },
  ];
  for (const { outcome, title, fields } of cases) {
    const id = await create(fields);
    const pressed = await simulate(id, outcome);
    t.match(pressed, { status: 303, location: `/checkout/${id}` });
    t.equal(await statusOf(id), outcome);
    const { text } = await open(`/checkout/${id}`);
    t.match(text, new RegExp(`<h1>${title}`));
    t.match(text, PANEL, 'still marked as a test');
    t.notMatch(text, BUTTONS);
  }
});

t.test('a button on a page that is out of date leads to the status', async (t) => {
  const id = await create();
  await api.simulate(id, 'paid');
  for (const outcome of ['paid', 'failed']) {
    t.match(await simulate(id, outcome), { status: 303, location: `/checkout/${id}` });
    t.equal(await statusOf(id), 'paid');
  }
});

t.test('LIVE payments have no buttons, and refuse them like unknown ones', async (t) => {
  const live = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });
  const liveApi = openApi(baseUrl, live.liveKey);
  const created = await liveApi.create({ amount: '150000' }, uniqueWord());
  const id = String(created.body['id']);
  t.match(created.body, { environment: 'LIVE', status: 'pending' });
  const page = await open(`/checkout/${id}`);
  t.equal(page.status, 200);
  t.notMatch(page.text, PANEL);
  t.notMatch(page.text, BUTTONS);
  for (const outcome of ['paid', 'failed']) {
    const refused = await simulate(id, outcome);
    t.equal(refused.status, 404);
    t.equal(
      refused.text,
      (await simulate(UNKNOWN, outcome)).text,
      'the page of an unknown payment',
    );
    const asked = await open(`/checkout/${id}/simulate`, `outcome=${outcome}`, { type: 'json' });
    t.match(JSON.parse(asked.text), { error: { code: 'payment_not_found' } });
  }
  t.equal((await liveApi.get(id)).body['status'], 'pending');
});

t.test('another outcome is no outcome', async (t) => {
  const id = await create();
  for (const form of ['outcome=cancelled', 'outcome=', '', 'outcome=paid&outcome=failed']) {
    t.equal((await open(`/checkout/${id}/simulate`, form)).status, 400, form);
  }
  t.equal(await statusOf(id), 'pending');
});

t.test('the buttons count against the limit of the page', async (t) => {
  const id = await create();
  const client = '203.0.113.9';
  const answers: Shown[] = [];
  for (let count = 0; count < PER_MINUTE + 4; count += 1) {
    answers.push(await open(`/checkout/${id}/simulate`, 'outcome=paid', { client }));
  }
  t.equal(answers[0]?.status, 303);
  const limited = answers.filter(({ status }) => status === 429);
  t.ok(limited.length >= 3, `${limited.length} of ${answers.length} were limited`);
  t.match(limited[0]?.text, /Too many requests/);
  t.ok(Number(limited[0]?.retryAfter) >= 1);
});
