// Every row of the route tables, with every kind of credential: exactly the refusal that is due, or none. The rows
// are asked with an empty body, which is refused after the credential; what has no body is really done.
import t from 'tap';
import { PERMISSIONS, type Role } from '#gateway/routing/roles.js';
import type { Route } from '#gateway/routing/route.js';
import { beginSession, makeMerchant, makePerson, type Person } from '../support/accounts.js';
import { openApi } from '../support/api.js';
import { createTestMerchant, startService } from '../support/processes.js';
import { listRoutes } from '../support/routes.js';
import { openPostgres } from '#store/postgres/client.js';

const REFUSALS = [
  'credential_missing',
  'credential_invalid',
  'credential_wrong_kind',
  'credential_mixed',
  'session_expired',
  'role_insufficient',
  'scope_insufficient',
  'address_not_allowed',
  'live_not_enabled',
];
const ROLES = ['owner', 'developer', 'finance', 'viewer', 'admin'] as const;
const ID = '5jz8q4m1n7v2c9k3x6w0t4h8rb';
const PARAMS: Readonly<Record<string, string>> = {
  payment_id: `pay_${ID}`,
  refund_id: `ref_${ID}`,
  payout_id: `po_${ID}`,
  event_id: `evt_${ID}0001`,
  user_id: `usr_${ID}`,
  session_id: `ses_${ID}`,
  webhook_id: `we_${ID}`,
  request_id: 'req_4f1f7dc669b8b5d68fc900000a',
  replay_id: `rpl_${ID}`,
  delivery_id: 'del_0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  api_key_id: `key_${ID}`,
  merchant_id: `mer_${ID}`,
  document_id: `doc_${ID}`,
  payment_link_id: `plink_${ID}`,
  task_id: `task_${ID}000200`,
  invoice_id: `inv_${ID}`,
  erasure_id: `era_${ID}`,
  callback_id: ID,
  asset: 'icon.svg',
};

type Headers = Readonly<Record<string, string>>;
type Kind = Route['auth'];
/** What a credential is refused with on rows of each kind; null: it is not. */
type Expected = Readonly<Record<Kind, string | null>>;

const service = await startService(t);
const sql = openPostgres(service.databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));
const api = openApi(service.baseUrl);
const routes = listRoutes().filter(({ path }) => path.startsWith('/v1/'));
const { testKey, liveKey: gatedKey } = service.merchant;
const { liveKey } = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });
const revoked = await createTestMerchant(service.databaseUrl);
await sql`update api_keys set revoked_at = now() where id = ${revoked.testKeyId}`;
const merchantId = await makeMerchant(sql);
const people = new Map<Role, Person>();
for (const role of ROLES) {
  people.set(role, await makePerson(sql, role, role === 'admin' ? null : merchantId));
}

const bearer = (text: string): Headers => ({ authorization: `Bearer ${text}` });

async function sessionOf(role: Role): Promise<string> {
  const person = people.get(role);
  if (person === undefined) throw new Error(`nobody is ${role}`);
  return beginSession(sql, person);
}

/** The refusal that concerns the credential; null: there was none. */
async function refusalOf(route: Route, headers: Headers): Promise<string | null> {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = PARAMS[name];
    if (value === undefined) throw new Error(`the parameter ${name} needs a value here`);
    return value;
  });
  const body = route.body === undefined ? {} : { body: {} };
  const answer = await api.call(path, { method: route.method, headers, ...body });
  if (answer.status >= 500) throw new Error(`${route.method} ${path}: ${answer.text}`);
  return REFUSALS.includes(answer.code ?? '') ? (answer.code ?? null) : null;
}

/** `isPlainLive`: a live key without scopes, which does everything but pay out. */
function walk(
  name: string,
  headers: () => Promise<Headers>,
  { isPlainLive = false, ...expected }: Expected & { readonly isPlainLive?: boolean },
): void {
  t.test(name, async (t) => {
    for (const route of routes) {
      const found = await refusalOf(route, await headers());
      const isPayingOut = route.auth === 'key' && route.scopes.join() === 'payouts';
      const due = isPlainLive && isPayingOut ? 'scope_insufficient' : expected[route.auth];
      t.equal(found, due, `${route.method} ${route.path}`);
    }
  });
}

const fixed = (headers: Headers) => () => Promise.resolve(headers);
const all = (code: string): Expected => ({ key: code, session: code, none: null });

t.ok(routes.length > 30, `${routes.length} rows`);
walk('no credential', fixed({}), all('credential_missing'));
walk('a test key', fixed(bearer(testKey)), {
  key: null,
  session: 'credential_wrong_kind',
  none: null,
});
walk('a test key in X-Api-Key', fixed({ 'x-api-key': testKey }), {
  key: null,
  session: 'credential_wrong_kind',
  none: null,
});
walk('a live key of a merchant with LIVE', fixed(bearer(liveKey)), {
  isPlainLive: true,
  key: null,
  session: 'credential_wrong_kind',
  none: null,
});
walk('a live key of a merchant without', fixed(bearer(gatedKey)), {
  key: 'live_not_enabled',
  session: 'live_not_enabled',
  none: 'live_not_enabled',
});
walk('a revoked key', fixed(bearer(revoked.testKey)), {
  key: 'credential_invalid',
  session: 'credential_wrong_kind',
  none: null,
});
walk(
  'a key and a session',
  async () => ({ ...bearer(await sessionOf('owner')), 'x-api-key': testKey }),
  all('credential_mixed'),
);
walk('two keys', fixed({ ...bearer(testKey), 'x-api-key': liveKey }), all('credential_mixed'));
walk('a session in X-Api-Key', async () => ({ 'x-api-key': await sessionOf('owner') }), {
  key: 'credential_wrong_kind',
  session: 'credential_wrong_kind',
  none: null,
});
walk('a session that never was', fixed(bearer(`cs_${'x'.repeat(43)}`)), {
  key: 'credential_wrong_kind',
  session: 'credential_invalid',
  none: null,
});
for (const how of ['ended_at = now()', 'expires_at = now()']) {
  let over: Promise<string> | undefined;
  const headers = async (): Promise<Headers> => bearer(await (over ??= makeOver(how)));
  walk(`a session with ${how}`, headers, {
    key: 'credential_wrong_kind',
    session: 'session_expired',
    none: null,
  });
}

async function makeOver(how: string): Promise<string> {
  const token = await sessionOf('owner');
  const userId = people.get('owner')?.userId ?? '';
  await sql.unsafe(`update sessions set ${how} where user_id = $1`, [userId]);
  return token;
}

for (const role of ROLES) {
  t.test(`a session of the role ${role}`, async (t) => {
    for (const route of routes) {
      const found = await refusalOf(route, bearer(await sessionOf(role)));
      t.equal(found, expectedFor(role, route), `${route.method} ${route.path}`);
    }
  });
}

function expectedFor(role: Role, route: Route): string | null {
  if (route.auth === 'none') return null;
  if (route.auth === 'key' || route.permission === undefined) return 'credential_wrong_kind';
  const roles: readonly Role[] = PERMISSIONS[route.permission];
  return roles.includes(role) ? null : 'role_insufficient';
}

t.test('the table itself', (t) => {
  for (const route of routes) {
    if (route.auth !== 'session') continue;
    const roles: readonly Role[] =
      route.permission === undefined ? [] : PERMISSIONS[route.permission];
    const name = `${route.method} ${route.path}`;
    const isAdmins = route.path.startsWith('/v1/admin/');
    t.equal(route.permission === 'administrate', isAdmins, `${name}: administrators`);
    if (!isAdmins) t.ok(roles.includes('owner'), `${name}: an owner may do it`);
    const isOwn = route.permission === 'own_account';
    const isReading = route.method === 'GET';
    if (!isOwn && !isReading) t.notOk(roles.includes('viewer'), `${name}: not who only looks`);
  }
  t.end();
});
