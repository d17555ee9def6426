// A request of each public route, the dearest that a stranger can send: another object each time, so that nothing is remembered,
// and no compression. Those that hash a password or write a mail are few, because the service lets them wait for their turn.
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { encodeBase32 } from '#actors/core/ids.js';
import { mapRailsByCallbackId } from '#actors/core/rails/live-rails.js';
import { readDashboardFiles } from '#gateway/pages/dashboard-files.js';
import { readAssetFiles } from '#gateway/pages/asset-files.js';
import { createAssets } from '#gateway/pages/assets.js';
import { buildRoutes, type RouteDeps } from '#gateway/routes.js';
import { SLASH_ROUTE } from '#gateway/routing/slash-route.js';
import type { Route } from '#gateway/routing/route.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { openPostgres } from '#store/postgres/client.js';
import { openSellerSession } from '../load/owner-session.js';
import { createPayments } from '../load/seed-payments.js';
import type { Service } from '../stage/service.js';

export interface PublicCall {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface MeasuredRoute {
  /** `GET /checkout/{payment_id}` */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly cpuUs: number;
  /** The one that takes most counts. */
  readonly calls: readonly MeasuredCall[];
}

export interface MeasuredCall {
  /** At most so many requests. */
  readonly most: number;
  readonly build: (index: number) => PublicCall;
}

const FEW = 40;
const LOGO_PX = 120;
const PASSWORD = 'a long password of the bench';
/** Eight words, most of which are misspelt, so that each is compared with all words of the index. */
const SEARCH = 'paymant refunde webhok idempotensy signatur merchent setlement custome';
const ITEMS = [{ description: 'Kelas memasak', quantity: 2, unit_amount: '150000' }];

/** The public routes of the route table, which has no handlers here. */
export function listPublicRoutes(): readonly Route[] {
  const deps = {
    ...{ brand: 'Kasir', brandHeader: 'Kasir', baseUrl: 'http://localhost:8080' },
    assets: createAssets(readAssetFiles()),
    dashboardFiles: readDashboardFiles(),
  } as unknown as RouteDeps;
  return [...buildRoutes(deps).filter(({ auth }) => auth === 'none'), SLASH_ROUTE];
}

type Call = MeasuredCall['build'];
type Calls = Readonly<Record<string, Call>>;

/** @throws Error for a public route without a call */
export async function preparePublicRoutes(
  service: Service,
  count: number,
  idKey: Buffer,
): Promise<readonly MeasuredRoute[]> {
  const few = buildAccountCalls();
  const calls: Calls = {
    ...few,
    ...(await buildPaymentCalls(service, count)),
    ...(await buildSellerCalls(service, count)),
    ...buildOtherCalls(idKey),
    ...buildFileCalls(),
  };
  return listPublicRoutes().map(({ method, path, cpuUs = NaN, body }) => {
    const name = `${method} ${path}`;
    const call = calls[name];
    if (call === undefined) throw new Error(`bench/attacks/public-calls.ts has no call of ${name}`);
    const usual = { most: name in few ? FEW : count, build: call };
    const strange = body === undefined ? [] : STRANGE_BODIES;
    return {
      ...{ name, method: method === 'POST' ? 'POST' : 'GET', cpuUs },
      calls: [
        usual,
        ...strange.map((text) => ({
          most: count,
          build: (index: number) => ({ ...call(index), headers: JSON_BODY, body: text }),
        })),
      ],
    };
  });
}

/** Nearly 8 KiB, which an open route takes at most. */
const STRANGE_CHARACTERS = 8_000;
/** Bodies that a check refuses late: many fields, a name like many card numbers, and many escapes. */
const STRANGE_BODIES: readonly string[] = [
  `{${Array.from({ length: 900 }, (_, index) => `"${index}":0`).join()}}`,
  `{"${'4 1 '.repeat(STRANGE_CHARACTERS / 4)}":0}`,
  `{"email":"${'\\u202a'.repeat(STRANGE_CHARACTERS / 6)}"}`,
];

const PAGE = { accept: 'text/html', 'accept-language': 'en' };
const FORM = { ...PAGE, 'content-type': 'application/x-www-form-urlencoded' };
const JSON_BODY = { 'content-type': 'application/json' };

const postJson = (path: string, body: object): PublicCall => ({
  path,
  headers: JSON_BODY,
  body: JSON.stringify(body),
});

/** Sends a request that must succeed, and returns its answer. */
async function send(
  service: Service,
  credential: string,
  [method, path, body = {}]: readonly [method: string, path: string, body?: object],
): Promise<Record<string, unknown>> {
  const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, {
    method,
    headers: { ...JSON_BODY, authorization: `Bearer ${credential}` },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} got ${answer.status}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

async function buildPaymentCalls(service: Service, count: number): Promise<Calls> {
  const ids = await createPayments(service, 5 * count);
  const paid = await createPayments(service, count);
  for (const id of paid) {
    const path = `/v1/sandbox/payments/${id}/simulate`;
    await send(service, service.key, ['POST', path, { outcome: 'paid' }]);
  }
  const open: string[] = [];
  for (let index = 0; index < 2 * count; index += 1) {
    const made = await send(service, service.key, ['POST', '/v1/payments', { amount: '150000' }]);
    open.push(String(made['id']));
  }
  const pick = (from: readonly string[], part: number, index: number): string =>
    from[(part * count + index) % from.length] ?? '';
  const checkout = (part: number, end: string, from = ids): Call => {
    return (index) => ({ path: `/checkout/${pick(from, part, index)}${end}`, headers: PAGE });
  };
  const form = (part: number, end: string, body: string, from = ids): Call => {
    const call = checkout(part, end, from);
    return (index) => ({ ...call(index), headers: FORM, body });
  };
  return {
    'GET /checkout/{payment_id}': checkout(0, ''),
    'GET /checkout/{payment_id}/qr.png': checkout(1, '/qr.png'),
    'GET /checkout/{payment_id}/receipt.png': checkout(0, '/receipt.png', paid),
    'GET /checkout/{payment_id}/status': checkout(2, '/status'),
    'POST /checkout/{payment_id}/simulate': form(3, '/simulate', 'outcome=paid'),
    'GET /checkout/{payment_id}/method': checkout(0, '/method', open),
    'POST /checkout/{payment_id}/method': form(1, '/method', 'payment_method=VA_BCA', open),
    'GET /v1/sandbox/payments/{payment_id}': (index) => ({
      path: `/v1/sandbox/payments/${pick(ids, 2, index)}`,
    }),
    'POST /v1/sandbox/payments/{payment_id}/simulate': (index) =>
      postJson(`/v1/sandbox/payments/${pick(ids, 4, index)}/simulate`, { outcome: 'paid' }),
  };
}

/** Pages of the merchant that the payments belong to. */
async function buildSellerCalls(service: Service, count: number): Promise<Calls> {
  const sql = openPostgres(service.databaseUrl, 'bench', 1);
  const token = await openSellerSession(sql);
  await sql.end();
  const own = '/v1/merchants/me';
  const environment = 'TEST';
  const link = await send(service, token, [
    ...(['POST', `${own}/payment-links`] as const),
    { environment, title: 'Kelas memasak', amount: '150000' },
  ]);
  const invoices: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const body = { environment, items: ITEMS };
    const { id } = await send(service, token, ['POST', `${own}/invoices`, body]);
    await send(service, token, ['POST', `${own}/invoices/${String(id)}/finalize`]);
    invoices.push(String(id));
  }
  const content = drawLogo().toString('base64');
  const settings = await send(service, token, ['PUT', `${own}/logo`, { content }]);
  const logo = new URL(String(settings['logo_url']), 'http://localhost').pathname;
  const slug = new URL(String(link['url'])).pathname;
  const invoice = (index: number): string => `/invoice/${invoices[index % count] ?? ''}`;
  const newForm = (): string => `token=${encodeBase32(randomBytes(16))}`;
  return {
    'GET /pay/{slug}': () => ({ path: slug, headers: PAGE }),
    'POST /pay/{slug}': () => ({ path: slug, headers: FORM, body: newForm() }),
    'GET /invoice/{invoice_id}': (index) => ({ path: invoice(index), headers: PAGE }),
    'POST /invoice/{invoice_id}/payment': (index) => ({
      ...{ path: `${invoice(index)}/payment`, headers: FORM, body: '' },
    }),
    'GET /logos/{logo_id}': () => ({ path: logo }),
  };
}

/** Noise, which compresses badly: nearly as large as a logo may be. */
function drawLogo(): Buffer {
  const png = new PNG({ width: LOGO_PX, height: LOGO_PX });
  randomBytes(LOGO_PX * LOGO_PX * 3).copy(png.data);
  return PNG.sync.write(png);
}

const makeToken = (): string => randomBytes(32).toString('base64url');
const makeEmail = (index: number): string => `person${index % FEW}@example.com`;

/** The accounts of the first call get the mails of the others. */
const buildAccountCalls = (): Calls => ({
  'POST /v1/auth/register': (index) =>
    postJson('/v1/auth/register', {
      ...{ email: makeEmail(index), password: PASSWORD, business_name: 'Toko Contoh' },
    }),
  'POST /v1/auth/verify/resend': (index) =>
    postJson('/v1/auth/verify/resend', { email: makeEmail(index) }),
  'POST /v1/auth/password-reset': (index) =>
    postJson('/v1/auth/password-reset', { email: makeEmail(index) }),
  'POST /v1/auth/login': (index) =>
    postJson('/v1/auth/login', { email: makeEmail(index), password: 'a wrong password' }),
  'POST /v1/auth/password-reset/confirm': () =>
    postJson('/v1/auth/password-reset/confirm', { token: makeToken(), password: PASSWORD }),
});

function buildOtherCalls(idKey: Buffer): Calls {
  const [callbackId = ''] = mapRailsByCallbackId([idKey]).keys();
  const report = {
    'csp-report': { 'effective-directive': 'script-src', 'blocked-uri': 'x'.repeat(15_000) },
  };
  const fault = { kind: 'script', message: 'e'.repeat(3_500), build: 'main', view: '/home' };
  const callback = { order_id: 'x'.repeat(60_000), transaction_status: 'settlement' };
  const constants: Readonly<Record<string, PublicCall>> = {
    'POST /v1/rails/{callback_id}/callbacks': postJson(
      `/v1/rails/${callbackId}/callbacks`,
      callback,
    ),
    'POST /csp-reports': postJson('/csp-reports', report),
    'POST /page-faults': postJson('/page-faults', fault),
    'GET /brand-styles/{style}': { path: '/brand-styles/0b5cad.css' },
    'GET /dashboard/{area}': { path: '/dashboard/payments' },
    'GET /dashboard/{area}/{view}': { path: '/dashboard/payments/search' },
    'GET /dashboard/{area}/{view}/{object}': { path: '/dashboard/payments/search/one' },
    'GET /dashboard/{area}/{view}/{object}/{part}': { path: '/dashboard/payments/search/one/a' },
    'GET /docs/search': { path: `/docs/search?q=${SEARCH.replaceAll(' ', '+')}`, headers: PAGE },
    'GET /{page}/': { path: '/docs/', headers: PAGE },
  };
  const calls = Object.entries(constants).map(([name, call]) => [name, () => call] as const);
  const verify: Call = () => postJson('/v1/auth/verify', { token: makeToken() });
  return { ...Object.fromEntries(calls), 'POST /v1/auth/verify': verify };
}

/** Routes without parameters, and the largest files. */
function buildFileCalls(): Calls {
  const fixed = listPublicRoutes().filter(
    ({ method, path }) => method === 'GET' && !path.includes('{') && path !== '/docs/search',
  );
  const names = [...readAssetFiles()].sort(([, one], [, other]) => other.length - one.length);
  const largest = createAssets(readAssetFiles()).findPath(names[0]?.[0] ?? '');
  const folder = 'dist/gateway/web/dashboard/assets';
  const sizeOf = (name: string): number => statSync(join(findPackageRoot(), folder, name)).size;
  const scripts = readdirSync(join(findPackageRoot(), folder)).filter((name) =>
    name.endsWith('.js'),
  );
  const [script = ''] = scripts.sort((one, other) => sizeOf(other) - sizeOf(one));
  return {
    ...Object.fromEntries(
      fixed.map(({ path }) => [`GET ${path}`, () => ({ path, headers: PAGE })]),
    ),
    'GET /assets/{asset}': () => ({ path: largest }),
    'GET /dashboard/assets/{asset}': () => ({ path: `/dashboard/assets/${script}` }),
  };
}
