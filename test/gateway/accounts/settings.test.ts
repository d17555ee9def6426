// The settings of a merchant over HTTP: kept, checked, audited, and shown on the pages of its customers as text.
import { PNG } from 'pngjs';
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import {
  beginSession,
  enrolSecondFactor,
  makeMerchant,
  makePerson,
} from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import { openInvoice } from '#test/support/collecting/invoices.js';
import { makeLink } from '#test/support/collecting/links.js';
import { getPage } from '#test/support/collecting/stage.js';
import { useService } from '#test/support/standing/service.js';

const SETTINGS = '/v1/merchants/me/settings';
const LOGO = '/v1/merchants/me/logo';
const JPEG = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////' +
    'wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
  'base64',
);
const HOSTILE = '"><script>alert(1)</script>';

const { api: keyed, baseUrl, databaseUrl, merchant } = await useService();
const { merchantId } = merchant;
const sql = openPostgres(databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));

const openUser = async (role: 'owner' | 'viewer', of?: string): Promise<Api> => {
  const merchant = (of ?? (await makeMerchant(sql))) as never;
  return openApi(baseUrl, await beginSession(sql, await makePerson(sql, role, merchant)));
};
const owner = await openUser('owner', merchantId);
const update = (api: Api, body: object): Promise<ApiAnswer> =>
  api.call(SETTINGS, { method: 'PATCH', body });
const upload = (api: Api, file: Buffer | string): Promise<ApiAnswer> =>
  api.call(LOGO, { method: 'PUT', body: { content: file.toString('base64') } });
const makePng = (width: number, height = width): Buffer =>
  PNG.sync.write(new PNG({ width, height, fill: true }));
const pathOf = (url: unknown): string => new URL(String(url)).pathname;

t.test('settings are empty at first, kept, and cleared by null', async (t) => {
  const api = await openUser('owner');
  const empty = {
    object: 'merchant_settings',
    display_name: null,
    brand_colour: null,
    logo_url: null,
    support_email: null,
    support_phone: null,
    support_url: null,
  };
  t.match((await api.call(SETTINGS)).body, empty);
  const set = {
    display_name: 'Kopi Kawan',
    brand_colour: '#0B5CAD',
    support_email: 'halo@kawan.example',
    support_phone: '+62 812 3456 7890',
    support_url: 'https://kawan.example/bantuan',
  };
  const kept = { ...set, brand_colour: '#0b5cad' };
  t.match((await update(api, set)).body, kept);
  t.match((await update(api, { support_phone: null })).body, { ...kept, support_phone: null });
  t.match((await api.call(SETTINGS)).body, { ...kept, support_phone: null });
});

t.test('mails are switched one by one, and the others stay', async (t) => {
  const api = await openUser('owner');
  const { user } = (await api.call('/v1/auth/me')).body;
  const makeCode = await enrolSecondFactor(sql, api, (user as { id: string }).id);
  const first = {
    ...{ endpoint_failing: true, endpoint_disabled: true, payout_failed: true, kyc_decided: true },
    ...{ charged_back: true },
    payment_received: false,
  };
  const off = { enabled: false, language: 'id' };
  t.match((await api.call(SETTINGS)).body, { notices: first, receipts: off });
  const change = { endpoint_failing: false, payment_received: true };
  const proof = { totp_code: await makeCode() };
  const changed = await update(api, { notices: change, receipts: { enabled: true }, ...proof });
  const expected = { notices: { ...first, ...change }, receipts: { ...off, enabled: true } };
  t.match(changed.body, expected);
  t.match((await update(api, { receipts: { language: 'en' } })).body, {
    notices: { ...first, ...change },
    receipts: { enabled: true, language: 'en' },
  });
  for (const wrong of [{ notices: { other: true } }, { notices: { payout_failed: 'yes' } }]) {
    t.equal((await update(api, wrong)).status, 400);
  }
  t.equal((await update(api, { receipts: { language: 'fr' } })).code, 'field_invalid');
});

t.test('a viewer reads the settings and changes nothing', async (t) => {
  const viewer = await openUser('viewer', merchantId);
  t.equal((await viewer.call(SETTINGS)).status, 200);
  for (const answer of [
    await update(viewer, { display_name: 'x' }),
    await upload(viewer, makePng(8)),
    await viewer.call(LOGO, { method: 'DELETE' }),
  ]) {
    t.equal(answer.code, 'role_insufficient');
  }
});

t.test('a wrong field is rejected by its name, and nothing changes', async (t) => {
  const api = await openUser('owner');
  const wrong = [
    ['display_name', '', 'field_invalid'],
    ['display_name', 'x'.repeat(101), 'field_invalid'],
    ['display_name', 'Toko\u202e', 'field_invalid'],
    ['display_name', 'Toko\nContoh', 'field_invalid'],
    ['display_name', ' ', 'field_invalid'],
    ['display_name', '4111 1111 1111 1111', 'card_data_refused'],
    ['brand_colour', 'red', 'field_invalid'],
    ['brand_colour', '#fff', 'field_invalid'],
    ['support_email', 'two@example.com,three@example.com', 'field_invalid'],
    ['support_phone', 'call us', 'field_invalid'],
    ['support_url', 'javascript:alert(1)', 'url_invalid'],
    ['support_url', 'http://kawan.example', 'url_invalid'],
    ['support_url', 'http://localhost:3000', 'url_invalid'],
  ] as const;
  for (const [param, value, code] of wrong) {
    const answer = await update(api, { [param]: value });
    t.equal(answer.code, code, `${param}: ${value}`);
    t.match(answer.body, { error: { param } });
  }
  t.match((await api.call(SETTINGS)).body, { display_name: null, support_url: null });
});

t.test('a logo is a small PNG or JPEG by its bytes', async (t) => {
  const api = await openUser('owner');
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  const padded = Buffer.concat([makePng(8), Buffer.alloc(47_900)]);
  const refused = {
    svg,
    gif: Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64'),
    'a cut PNG': makePng(8).subarray(0, 12),
    'a PNG that begins with another chunk': Buffer.concat([
      ...[makePng(8).subarray(0, 12), Buffer.from('CgBI'), Buffer.alloc(8), makePng(8).subarray(8)],
    ]),
    'a JPEG whose frame comes after its scan': Buffer.concat([
      ...[JPEG.subarray(0, 2), Buffer.from('ffda0004ffff', 'hex'), JPEG.subarray(2)],
    ]),
    'more than 48 000 bytes': Buffer.concat([makePng(8), Buffer.alloc(48_001)]),
    'too wide': makePng(1_025, 1),
    'too high': makePng(1, 1_025),
  };
  for (const [name, file] of Object.entries(refused)) {
    const answer = await upload(api, file);
    t.equal(answer.code, 'field_invalid', `${name}: ${answer.text}`);
    t.match(answer.body, { error: { param: 'content' } });
  }
  const large = await upload(api, Buffer.alloc(10 * 1024 * 1024));
  t.same([large.status, large.code], [413, 'body_too_large']);
  const raw = await api.call(LOGO, { method: 'PUT', body: { content: 'not base64!' } });
  t.equal(raw.code, 'field_invalid');
  t.equal((await api.call(SETTINGS)).body['logo_url'], null);
  for (const file of [makePng(1_024), JPEG, padded]) {
    t.equal((await upload(api, file)).status, 200);
  }
});

t.test('a logo is served as a picture that nothing runs, under a new path each time', async (t) => {
  const api = await openUser('owner');
  const png = makePng(40);
  const first = pathOf((await upload(api, png)).body['logo_url']);
  t.match(first, /^\/logos\/logo_[0-9a-z]{26}$/);
  const anonymous = openApi(baseUrl);
  const served = await anonymous.call(first);
  t.equal(served.status, 200);
  t.ok(served.bytes.equals(png));
  t.match(served.headers, {
    'content-type': 'image/png',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
  });
  const second = pathOf((await upload(api, JPEG)).body['logo_url']);
  t.not(first, second);
  t.match((await anonymous.call(second)).headers, { 'content-type': 'image/jpeg' });
  t.equal((await anonymous.call(first)).status, 404, 'the logo before is gone');
  for (const expected of [204, 204]) {
    t.equal((await api.call(LOGO, { method: 'DELETE' })).status, expected);
  }
  t.equal((await anonymous.call(second)).status, 404);
  t.equal((await api.call(SETTINGS)).body['logo_url'], null);
});

t.test('each change is audited with its actor, without contact and picture', async (t) => {
  const merchant = await makeMerchant(sql);
  const person = await makePerson(sql, 'owner', merchant);
  const api = openApi(baseUrl, await beginSession(sql, person));
  await update(api, { display_name: 'Kopi', support_email: 'rahasia@kawan.example' });
  await upload(api, JPEG);
  await api.call(LOGO, { method: 'DELETE' });
  const rows = await sql`
    select actor, action, after from audit_log where chain = ${merchant} and actor = ${person.userId}
     order by id`;
  t.match(rows, [
    { action: 'merchants.update', after: /"display_name": ?"Kopi"/ },
    { action: 'merchant_logos.insert' },
    { action: 'merchant_logos.delete' },
  ]);
  t.equal(rows.length, 3);
  t.notMatch(JSON.stringify(rows), /rahasia/);
});

t.test('pages show the settings, and hostile ones as text', async (t) => {
  const logo = pathOf((await upload(owner, makePng(60))).body['logo_url']);
  await update(owner, {
    display_name: HOSTILE,
    brand_colour: '#e4572e',
    support_email: 'halo@kawan.example',
    support_phone: '+62 812 3456 7890',
    support_url: 'https://kawan.example/?q="><script>&b=1',
  });
  const { id } = (await keyed.create({ amount: '150000' })).body;
  const link = await makeLink(owner);
  const invoice = await openInvoice(owner);
  for (const path of [
    `/checkout/${String(id)}`,
    pathOf(link.body['url']),
    pathOf(invoice.body['url']),
  ]) {
    const { status, text } = await getPage(baseUrl + path);
    t.equal(status, 200, path);
    t.notMatch(text, /<script>/, path);
    for (const shown of [
      '&quot;&gt;&lt;script&gt;alert(1)',
      `<img src="${logo}" alt="" />`,
      '<link rel="stylesheet" href="/brand-styles/e4572e.css" />',
      'href="mailto:halo@kawan.example"',
      'href="tel:+6281234567890"',
      'href="https://kawan.example/?q=%22%3E%3Cscript%3E&amp;b=1"',
    ]) {
      t.ok(text.includes(shown), `${path}: ${shown}`);
    }
  }
});

t.test(
  'the style sheet of a colour holds colours only, and other names are not found',
  async (t) => {
    const anonymous = openApi(baseUrl);
    const { headers, text } = await anonymous.call('/brand-styles/e4572e.css');
    t.match(headers, { 'content-type': 'text/css; charset=utf-8' });
    t.match(text, /^:root\{--button:#e4572e;/);
    for (const name of ['red.css', 'E4572E.css', 'e4572e', 'e4572e.css.css', 'e4572e%7D.css']) {
      t.equal((await anonymous.call(`/brand-styles/${name}`)).status, 404, name);
    }
  },
);
