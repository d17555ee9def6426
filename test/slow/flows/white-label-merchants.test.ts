// White label: each string of the test rails is a canary. No byte that reaches merchants or their customers contains a canary
// or the name of a rail, under any encoding. The codes and account numbers that customers pay with are the exception, on
// their own pages only. Each route is called with everything that a LIVE merchant can have. Administrators' routes, metrics
// and logs are for operators and may name rails.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { decodeQrImage } from '#actors/rails/adapters/qr-image.js';
import { hasValidCrc } from '#actors/core/rails/emv-qr.js';
import { buildSample } from '#test/support/sample.js';
import type { Route } from '#gateway/routing/route.js';
import { enrolSecondFactor, insertPasskey, makePerson } from '#test/support/accounts.js';
import type { Api, ApiAnswer } from '#test/support/api.js';
import { listRoutes, SAMPLE_PARAMS } from '#test/support/routes.js';
import { answerWith } from '#test/support/webhooks/receiver.js';
import { CANARY, findWords, RAIL_WORDS } from '#test/flows/white-label/canaries.js';
import { type Heard, startWhiteLabel } from '#test/flows/white-label/stage.js';
import { liveThrough } from '#test/flows/white-label/story.js';

const stage = await startWhiteLabel(t);
const { live, anonymous, owner, sql, merchantId, simulated } = stage;
const session = await stage.openSession(owner);

async function post(api: Api, path: string, body: object = {}): Promise<ApiAnswer['body']> {
  const answer = await api.call(path, { method: 'POST', body });
  if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.text}`);
  return answer.body;
}

const environment = 'LIVE';
const ENDPOINTS = '/v1/merchants/me/webhooks';
const makeCode = await enrolSecondFactor(sql, session, owner.userId);
const endpoints: ApiAnswer['body'][] = [];
for (const { url } of [stage.receiver, stage.deadReceiver]) {
  const body = { url, environment, allow_many: true, totp_code: await makeCode() };
  endpoints.push(await post(session, ENDPOINTS, body));
}
stage.deadReceiver.behave(answerWith(410));

const link = await post(session, '/v1/merchants/me/payment-links', {
  ...{ environment, title: 'Kelas memasak', amount: '25000' },
});
const draft = await post(session, '/v1/merchants/me/invoices', {
  ...{ environment, items: [{ description: 'Kelas', quantity: 1, unit_amount: '25000' }] },
  customer_email: 'budi@example.com',
});
await post(session, `/v1/merchants/me/invoices/${String(draft['id'])}/finalize`);

const story = await liveThrough(stage);
const payments = [...story.payments, ...(await chooseOnPages())];

/** Choices of a method on a link, an invoice and a payment without one; accepted and rejected. */
async function chooseOnPages(): Promise<string[]> {
  const slug = new URL(String(link['url'])).pathname;
  const form = /name="token" value="([0-9a-z]{26})"/.exec((await anonymous.call(slug)).text)?.[1];
  const invoice = `/invoice/${String(draft['id'])}/payment`;
  const made = [
    await anonymous.call(slug, { method: 'POST', body: { token: form } }),
    await anonymous.call(invoice, { method: 'POST' }),
    await live.create({ amount: '25000' }, 'open'),
    await live.create({ amount: '25000', payment_method: 'VA' }, 'open-va'),
  ];
  const ids = made.map(({ text, headers }) =>
    String(/pay_[0-9a-z]{26}/.exec(String(headers.location ?? text))?.[0]),
  );
  for (const id of ids) {
    const choose = (method: string) =>
      anonymous.call(`/checkout/${id}/method`, {
        method: 'POST',
        body: { payment_method: method },
      });
    await anonymous.call(`/checkout/${id}/method`);
    await simulated.plan({ kind: 'refuse', operation: 'charge', times: 1 });
    await choose('VA_BNI');
    await simulated.plan();
    stage.watchPage(id);
    await choose('VA_PERMATA');
  }
  return ids;
}

await waitUntil('all kinds of events are told, and some are dead', async () => {
  const types = new Set(stage.receiver.received.map(({ type }) => type));
  const { body } = await session.call(`${ENDPOINTS}/dlq`);
  return types.size === 4 && (body['data'] as object[]).length > 0;
});

/** Existing objects by their path parameter. Some routes end sessions, so each call gets its own. */
const idsOf = async (path: string, name = 'id'): Promise<string[]> => {
  const { body } = await (await stage.openSession(owner)).call(path);
  return (body['data'] as Record<string, string>[]).map((row) => String(row[name]));
};
const postAsOwner = async (path: string, body: object = {}) =>
  post(await stage.openSession(owner), path, body);
/** A PNG of one pixel. */
const LOGO =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2HNDlQAAAABJRU5ErkJggg==';
/** Each object is looked up once, because later routes delete objects that lead to others. */
const found = new Map<string, readonly unknown[]>();
const OBJECTS: Readonly<Record<string, () => Promise<readonly unknown[]> | readonly unknown[]>> = {
  payment_id: () => payments,
  refund_id: () => story.refunds,
  payout_id: () => story.payouts,
  event_id: () => idsOf(`/v1/merchants/me/events?environment=LIVE&limit=100`),
  slug: () => [String(link['url']).split('/').at(-1)],
  invoice_id: () => [draft['id']],
  payment_link_id: () => [link['id']],
  webhook_id: () => endpoints.map(({ id }) => id),
  delivery_id: async () => [
    ...(await idsOf(`${ENDPOINTS}/dlq`)),
    ...(await idsOf(`${ENDPOINTS}/${String(endpoints[0]?.['id'])}/deliveries`)),
  ],
  replay_id: async () => [(await postAsOwner(`${ENDPOINTS}/dlq/replay`))['id']],
  request_id: () => idsOf('/v1/merchants/me/api-logs?limit=100', 'request_id'),
  user_id: async () => [(await makePerson(sql, 'viewer', merchantId)).userId],
  session_id: () => idsOf('/v1/auth/sessions'),
  passkey_id: async () => [await insertPasskey(sql, owner)],
  api_key_id: async () => [
    (await postAsOwner('/v1/merchants/me/api-keys', { environment: 'TEST' }))['id'],
  ],
  erasure_id: async () => {
    const body = { environment, reference_id: 'none', totp_code: await makeCode() };
    return [(await postAsOwner('/v1/merchants/me/erasures', body))['id']];
  },
  logo_id: async () => {
    const body = { content: LOGO };
    const set = await session.call('/v1/merchants/me/logo', { method: 'PUT', body });
    return [String(set.body['logo_url']).split('/').at(-1)];
  },
  style: () => ['0b5cad.css'],
  asset: () => [],
};

const ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const rows = listRoutes()
  .filter(({ path, rawHeaders }) => rawHeaders === undefined && !path.startsWith('/v1/admin/'))
  .sort((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method));

async function drive(row: Route): Promise<number> {
  const paths = await pathsOf(row);
  const caller = { key: live, session: await stage.openSession(owner), none: anonymous }[row.auth];
  const accepts = ['application/json', ...(row.hasCsv ? ['text/csv'] : []), 'text/html'];
  for (const path of paths) {
    for (const accept of row.method === 'GET' ? accepts : accepts.slice(0, 1)) {
      const headers = { accept, 'accept-encoding': 'gzip, br, deflate' };
      const body = row.body === undefined ? {} : { body: buildSample(row.body.schema) };
      await caller.call(path, { method: row.method, headers, ...body });
    }
  }
  return paths.length;
}

async function pathsOf({ path, params, query }: Route): Promise<readonly string[]> {
  const [name, ...more] = Object.keys(params);
  const isByEnvironment = 'environment' in ((query?.schema['properties'] ?? {}) as object);
  const asked = isByEnvironment ? '?environment=LIVE' : '';
  // The dashboard has one page for all of them.
  if (name === 'area')
    return [path.replace(/\{(\w+)\}/g, (_, each: string) => SAMPLE_PARAMS[each] ?? '')];
  if (name === undefined) return [path + asked];
  const find = OBJECTS[name];
  if (find === undefined || more.length > 0) throw new Error(`say in OBJECTS what ${name} is`);
  const ids = found.get(name) ?? (await find());
  found.set(name, ids);
  return ids.map((id) => path.replace(/\{\w+\}/, String(id)) + asked);
}

/** The files that pages name, and all of the dashboard, since its scripts name theirs in parts. */
const DASHBOARD_ASSETS = join(findPackageRoot(), 'dist/gateway/web/dashboard/assets');
const ASSETS = new Set(readdirSync(DASHBOARD_ASSETS).map((file) => `/dashboard/assets/${file}`));

t.test('a QR code from a rail is drawn again by us', async (t) => {
  const { bytes } = await anonymous.call(`/checkout/${story.pictured}/qr.png`);
  const payload = decodeQrImage(bytes);
  t.ok(hasValidCrc(payload ?? ''), 'the customer can pay by it');
  const page = await anonymous.call(`/checkout/${story.pictured}`);
  const linked = [...page.text.matchAll(/(?:src|href|action)="([^"]*)"/g)].map(([, to]) => to);
  t.strictSame(
    linked.filter((to) => !to?.startsWith('/')),
    [],
    'nothing is linked elsewhere',
  );
});

t.test('each route was called', async (t) => {
  t.ok(rows.length > 75, `${rows.length} rows`);
  for (const row of rows) {
    const driven = await drive(row);
    if (!row.path.endsWith('/assets/{asset}'))
      t.ok(driven > 0, `${row.method} ${row.path}: ${driven}`);
  }
  for (const { bytes } of stage.heard()) {
    for (const [path] of bytes.toString().matchAll(/(?<!dashboard)\/assets\/[\w.-]+/g))
      ASSETS.add(path);
  }
  for (const path of ASSETS) {
    await anonymous.call(path, { headers: { 'accept-encoding': 'gzip, br' } });
  }
  const own = [...ASSETS].filter((path) => path.startsWith('/assets/'));
  t.ok(own.length > 3, 'style sheets and scripts, too');
});

t.test('failures of rails were answered', (t) => {
  const codes = new Set(story.failures.map(({ code }) => code));
  const expected = ['payment_processing_failed', 'outcome_unknown', 'state_conflict'];
  for (const code of [...expected, 'refund_exceeds_payment', 'balance_insufficient']) {
    t.ok(codes.has(code), code);
  }
  t.ok(stage.canaries.sung() > 50, `rails have said something ${stage.canaries.sung()} times`);
  t.end();
});

t.test('administrators see the names of rails', async (t) => {
  const admin = await stage.openAdmin();
  const seen = await admin.call('/v1/admin/transactions?environment=LIVE&limit=100');
  t.match(seen.text, CANARY, 'or the canaries would never have been in the service');
  t.match(seen.text, RAIL_WORDS);
});

const isPage = ({ where }: Heard): boolean => /^GET \/checkout\/\w+ /.test(where);

t.test('no answer to merchants or customers names a rail', (t) => {
  const words = new RegExp(`${CANARY}|${RAIL_WORDS.source}|SIMULATED RAIL|simulated: `, 'i');
  const heard = new Map(stage.heard().map((one) => [one.bytes.toString('latin1'), one]));
  const leaks = [...heard.values()].flatMap(({ where, bytes }) =>
    findWords(bytes, words).map((how) => `${where}: ${how}`),
  );
  t.strictSame(leaks, [], `in ${heard.size} texts`);
  for (const place of ['a mail', 'the webhook', 'push to', 'GET /docs', 'GET /assets']) {
    const isHeard = [...heard.values()].some(({ where }) => where.startsWith(place));
    t.ok(isHeard, `${place} … was heard`);
  }
  t.end();
});

t.test('an account number is shown only on the page of its payment', async (t) => {
  const { data } = (await simulated.control('GET', 'orders')) as {
    data: { method: string; payBy: string }[];
  };
  const numbers = data.filter(({ method }) => method !== 'QRIS').map(({ payBy }) => payBy);
  const pattern = new RegExp(numbers.map((number) => [...number].join('[ ]?')).join('|'));
  const places = stage.heard().filter(({ bytes }) => findWords(bytes, pattern, 1).length > 0);
  t.ok(places.some(isPage), 'customers are shown them');
  t.strictSame(
    places.filter((one) => !isPage(one)).map(({ where }) => where),
    [],
  );
});
