// The headers that protect browsers, on every kind of answer; security.txt, and the reports of violations.
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makePerson } from '../support/accounts.js';
import { type ApiAnswer, openApi } from '../support/api.js';
import { listRoutes } from '../support/routes.js';
import { readMetrics } from '../support/processes.js';
import { startServingService } from '../support/serving.js';

const HSTS = 'max-age=31536000';
const POLICY = /^default-src 'self'; .*; report-uri \/csp-reports; report-to csp$/;
const BASE_URL = 'https://pay.example.com';
const CONTACT = 'mailto:security@example.com';

const service = await startServingService(t, {
  variables: { BASE_URL, NODE_ENV: 'development', SECURITY_CONTACT: CONTACT },
});
const sql = openPostgres(service.databaseUrl, 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));
const { api } = service;
const [gateway] = service.gateways;
const anonymous = openApi(gateway?.baseUrl ?? '');

function assertProtected(t: Test, answer: ApiAnswer, what: string): void {
  const { headers, status } = answer;
  t.match(headers, { 'x-content-type-options': 'nosniff' }, `${what}: ${status}`);
  t.match(headers, { 'strict-transport-security': HSTS }, `${what}: ${status}`);
  if (!String(headers['content-type']).startsWith('text/html')) return;
  t.match(headers['content-security-policy'], POLICY, what);
  t.match(headers, { 'reporting-endpoints': 'csp="/csp-reports"', 'x-frame-options': 'DENY' });
}

t.test(
  'reports of violations are counted, and few are logged without addresses of pages',
  async (t) => {
    const page = `${BASE_URL}/checkout/pay_secret`;
    const old = {
      'csp-report': {
        'document-uri': page,
        'effective-directive': 'script-src-elem',
        'blocked-uri': 'https://evil.example/x.js?pay_secret',
      },
    };
    const recent = [
      {
        type: 'csp-violation',
        url: page,
        body: { documentURL: page, effectiveDirective: 'style-src', blockedURL: 'inline' },
      },
    ];
    const send = (body: unknown, type: string) =>
      anonymous.call('/csp-reports', { method: 'POST', body, headers: { 'content-type': type } });
    t.equal((await send(JSON.stringify(old), 'application/csp-report')).status, 204);
    t.equal((await send(JSON.stringify(recent), 'application/reports+json')).status, 204);
    for (const junk of ['', '{', 'null', '[]', '[null]', '{"csp-report":{"blocked-uri":7}}']) {
      t.equal((await send(junk, 'text/plain')).status, 204, junk);
    }
    t.equal((await send('x'.repeat(20_000), 'application/csp-report')).status, 413);
    const logs = await waitUntil('the reports are logged', () => {
      const found = gateway
        ?.logs()
        .filter(({ msg }) => /content security policy/.test(String(msg)));
      return found !== undefined && found.length >= 3 ? found : undefined;
    });
    t.match(logs, [
      { directive: 'script-src-elem', blocked: 'https://evil.example' },
      { directive: 'style-src', blocked: 'inline' },
      { directive: 'unknown', blocked: 'unknown' },
    ]);
    t.notMatch(JSON.stringify(logs), /pay_secret/);
    t.ok(logs.length <= 6, 'at most three in each of two minutes');
    const metrics = await fetch(`http://127.0.0.1:${gateway?.metricsPort}/metrics`);
    t.match(await metrics.text(), /^kasir_gateway_csp_reports_total 8$/m);
  },
);

t.test(
  'faults that the dashboard reports are counted, and few are logged without personal data',
  async (t) => {
    const send = (body: unknown) => anonymous.call('/page-faults', { method: 'POST', body });
    const known = { build: 'main-a1b2.js', view: '/dashboard/payments/:id' };
    const file = `${BASE_URL}/dashboard/assets/palette-a1b2c3d4.js?mail=siti@example.com`;
    const personal = {
      ...known,
      kind: 'script',
      message: `SyntaxError: "Siti Aminah": of siti@example.com, pay_0123456789, 0812345 'a b' 'id'`,
    };
    const foreign = { kind: 'file', build: '<b>', view: '/payments/pay_1', message: file };
    const junk = ['', '{', 'null', '[]', '{"kind":"other","message":7}'];
    for (const body of [personal, foreign, ...junk]) {
      t.equal((await send(typeof body === 'string' ? body : JSON.stringify(body))).status, 204);
    }
    t.equal((await send('x'.repeat(5_000))).status, 413);
    const logs = await waitUntil('the faults are logged', () => {
      const found = gateway?.logs().filter(({ msg }) => /reported a fault/.test(String(msg)));
      return found !== undefined && found.length >= 3 ? found : undefined;
    });
    t.match(logs, [
      { ...known, kind: 'script', message: `SyntaxError: …: of … …, … … 'id'` },
      { kind: 'file', build: 'unknown', view: 'unknown', message: 'palette-a1b2c3d4.js' },
      { kind: 'unreadable', message: '' },
    ]);
    t.notMatch(JSON.stringify(logs), /Siti|siti@|pay_0|0812/);
    t.ok(logs.length <= 6, 'at most three in each of two minutes');
    const page = gateway === undefined ? '' : await readMetrics(gateway);
    for (const [kind, count] of Object.entries({ script: 1, file: 1, unreadable: 5 })) {
      t.match(page, `kasir_gateway_page_faults_total{kind="${kind}"} ${count}\n`);
    }
  },
);

t.test('every route answers a stranger and a wrong method with the headers', async (t) => {
  for (const { method, path } of listRoutes()) {
    const target = path.replace(/\{\w+\}/g, 'x');
    assertProtected(t, await anonymous.call(target, { method }), `${method} ${path}`);
    const wrong = method === 'DELETE' ? 'PUT' : 'DELETE';
    assertProtected(t, await anonymous.call(target, { method: wrong }), `${wrong} ${path}`);
    const page = await anonymous.call(target, { headers: { accept: 'text/html' } });
    assertProtected(t, page, `page ${path}`);
  }
});

t.test('every kind of success has the headers', async (t) => {
  const { merchantId } = service.merchant;
  const owner = await makePerson(sql, 'owner', merchantId);
  const session = openApi(gateway?.baseUrl ?? '', await beginSession(sql, owner));
  const { id } = (await api.create({ amount: '15000' })).body;
  const asset = /\/assets\/[\w.-]+\.css/.exec((await anonymous.call('/docs')).text)?.[0] ?? '';
  const csv = { headers: { accept: 'text/csv' } };
  const link = {
    ...{ environment: 'TEST', title: 'Toko', amount: '15000' },
  };
  const { url } = (
    await session.call('/v1/merchants/me/payment-links', { method: 'POST', body: link })
  ).body;
  const answers: readonly [string, Promise<ApiAnswer>][] = [
    ['JSON', api.get(id)],
    ['list', api.call('/v1/payments')],
    ['stream', session.call('/v1/merchants/me/payments?environment=TEST', csv)],
    ['page', anonymous.call(`/checkout/${String(id)}`, { headers: { accept: 'text/html' } })],
    ['payment link', anonymous.call(new URL(String(url)).pathname)],
    ['documentation', anonymous.call('/docs')],
    ['file', anonymous.call(asset)],
    ['description', anonymous.call('/docs/openapi.json')],
    ['health', anonymous.call('/healthz')],
    ['too large', api.call('/v1/payments', { method: 'POST', body: 'x'.repeat(300_000) })],
  ];
  for (const [what, answer] of answers) {
    const { status } = await answer;
    t.equal(status, what === 'too large' ? 413 : 200, what);
    assertProtected(t, await answer, what);
  }
});

t.test('security.txt names the contact and expires within a year', async (t) => {
  const { text, headers } = await anonymous.call('/.well-known/security.txt');
  t.equal(headers['content-type'], 'text/plain; charset=utf-8');
  const fields = new Map(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(/: (.*)/, 2) as [string, string]),
  );
  t.equal(fields.get('Contact'), CONTACT);
  t.equal(fields.get('Canonical'), `${BASE_URL}/.well-known/security.txt`);
  const leftDays = (Date.parse(fields.get('Expires') ?? '') - Date.now()) / 86_400_000;
  t.ok(leftDays > 30 && leftDays < 365, `${leftDays} days are left`);
});
