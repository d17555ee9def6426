// Calls each route with each kind of credential and expects the right error of admission, or none. The body is empty, which
// is an error after admission; a route without a body is really executed.
import t from 'tap';
import { isAdministrator, PERMISSIONS, type Role, ROLES } from '#gateway/routing/roles.js';
import type { Route } from '#gateway/routing/route.js';
import { beginSession, makeMerchant, makePerson, type Person } from '../support/accounts.js';
import { openApi } from '../support/api.js';
import { createTestMerchant } from '../support/processes.js';
import { listRoutes, SAMPLE_PARAMS } from '../support/routes.js';
import { useService } from '../support/standing/service.js';
import { openPostgres } from '#store/postgres/client.js';

const ADMISSION_ERRORS = [
  'credential_missing',
  'credential_invalid',
  'credential_wrong_kind',
  'credential_mixed',
  'session_expired',
  'origin_not_allowed',
  'role_insufficient',
  'scope_insufficient',
  'address_not_allowed',
  'live_not_enabled',
];
type Headers = Readonly<Record<string, string>>;
type Kind = Route['auth'];
/** The error of a credential on routes of each kind; null: it is admitted. */
type Expected = Readonly<Record<Kind, string | null>>;

const service = await useService();
const ORIGIN = service.publicUrl;
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
  people.set(role, await makePerson(sql, role, isAdministrator(role) ? null : merchantId));
}

const bearer = (text: string): Headers => ({ authorization: `Bearer ${text}` });

async function openSession(role: Role): Promise<string> {
  const person = people.get(role);
  if (person === undefined) throw new Error(`there is no user with the role ${role}`);
  return beginSession(sql, person);
}

/** Calls the route; null: the credential was admitted. */
async function findAdmissionError(route: Route, headers: Headers): Promise<string | null> {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = SAMPLE_PARAMS[name];
    if (value === undefined)
      throw new Error(`the path parameter ${name} needs a value in SAMPLE_PARAMS`);
    return value;
  });
  const body = route.body === undefined ? {} : { body: {} };
  const answer = await api.call(path, { method: route.method, headers, ...body });
  if (answer.status >= 500) throw new Error(`${route.method} ${path}: ${answer.text}`);
  return ADMISSION_ERRORS.includes(answer.code ?? '') ? (answer.code ?? null) : null;
}

/** `isPlainLive`: a live key without scopes, which may do everything but payouts. */
function testEachRoute(
  name: string,
  headers: () => Promise<Headers>,
  { isPlainLive = false, ...expected }: Expected & { readonly isPlainLive?: boolean },
): void {
  t.test(name, async (t) => {
    for (const route of routes) {
      const found = await findAdmissionError(route, await headers());
      const isPayingOut = route.auth === 'key' && route.scopes.join() === 'payouts';
      const due = isPlainLive && isPayingOut ? 'scope_insufficient' : expected[route.auth];
      t.equal(found, due, `${route.method} ${route.path}`);
    }
  });
}

const byCookie = (token: string, origin = ORIGIN): Headers => ({
  cookie: `service_session=${token}`,
  origin,
});
const fixed = (headers: Headers) => () => Promise.resolve(headers);
const all = (code: string): Expected => ({ key: code, session: code, none: null });

t.ok(routes.length > 30, `${routes.length} routes`);
testEachRoute('no credential is credential_missing', fixed({}), all('credential_missing'));
testEachRoute('a test key is admitted on key routes', fixed(bearer(testKey)), {
  key: null,
  session: 'credential_wrong_kind',
  none: null,
});
testEachRoute(
  'a test key in X-Api-Key is admitted on key routes',
  fixed({ 'x-api-key': testKey }),
  {
    key: null,
    session: 'credential_wrong_kind',
    none: null,
  },
);
testEachRoute(
  'a live key of a merchant with LIVE is admitted on key routes',
  fixed(bearer(liveKey)),
  {
    isPlainLive: true,
    key: null,
    session: 'credential_wrong_kind',
    none: null,
  },
);
testEachRoute(
  'a live key of a merchant without LIVE is live_not_enabled everywhere',
  fixed(bearer(gatedKey)),
  {
    key: 'live_not_enabled',
    session: 'live_not_enabled',
    none: 'live_not_enabled',
  },
);
testEachRoute('a revoked key is credential_invalid', fixed(bearer(revoked.testKey)), {
  key: 'credential_invalid',
  session: 'credential_wrong_kind',
  none: null,
});
testEachRoute(
  'a key and a session together are credential_mixed',
  async () => ({ ...bearer(await openSession('owner')), 'x-api-key': testKey }),
  all('credential_mixed'),
);
testEachRoute(
  'two keys are credential_mixed',
  fixed({ ...bearer(testKey), 'x-api-key': liveKey }),
  all('credential_mixed'),
);
testEachRoute(
  'a session in X-Api-Key is credential_wrong_kind',
  async () => ({ 'x-api-key': await openSession('owner') }),
  {
    key: 'credential_wrong_kind',
    session: 'credential_wrong_kind',
    none: null,
  },
);
testEachRoute('an unknown session is credential_invalid', fixed(bearer(`cs_${'x'.repeat(43)}`)), {
  key: 'credential_wrong_kind',
  session: 'credential_invalid',
  none: null,
});
for (const how of ['ended_at = now()', 'expires_at = now()']) {
  let ended: Promise<string> | undefined;
  const headers = async (): Promise<Headers> => bearer(await (ended ??= endSession(how)));
  testEachRoute(`a session with ${how} is session_expired`, headers, {
    key: 'credential_wrong_kind',
    session: 'session_expired',
    none: null,
  });
}

for (const role of ROLES) {
  t.test(`the cookie of a ${role} opens the routes that its session opens`, async (t) => {
    for (const route of routes) {
      const found = await findAdmissionError(route, byCookie(await openSession(role)));
      const expected = route.auth === 'key' ? 'credential_missing' : expectedFor(role, route);
      t.equal(found, expected, `${route.method} ${route.path}`);
    }
  });
}

t.test('the cookie of a session changes nothing from another origin', async (t) => {
  for (const role of ['owner', 'admin'] as const) {
    for (const route of routes.filter(({ auth }) => auth === 'session')) {
      const cookie = byCookie(await openSession(role), 'https://evil.example');
      const found = await findAdmissionError(route, cookie);
      const expected = route.method === 'GET' ? expectedFor(role, route) : 'origin_not_allowed';
      t.equal(found, expected, `${role}: ${route.method} ${route.path}`);
    }
  }
});

testEachRoute(
  'the cookie of an unknown session is credential_invalid',
  fixed(byCookie(`cs_${'x'.repeat(43)}`)),
  {
    key: 'credential_missing',
    session: 'credential_invalid',
    none: null,
  },
);

async function endSession(how: string): Promise<string> {
  const token = await openSession('owner');
  const userId = people.get('owner')?.userId ?? '';
  await sql.unsafe(`update sessions set ${how} where user_id = $1`, [userId]);
  return token;
}

for (const role of ROLES) {
  t.test(
    `a session of the role ${role} is admitted where the role has the permission`,
    async (t) => {
      for (const route of routes) {
        const found = await findAdmissionError(route, bearer(await openSession(role)));
        t.equal(found, expectedFor(role, route), `${route.method} ${route.path}`);
      }
    },
  );
}

function expectedFor(role: Role, route: Route): string | null {
  if (route.auth === 'none') return null;
  if (route.auth === 'key' || route.permission === undefined) return 'credential_wrong_kind';
  const roles: readonly Role[] = PERMISSIONS[route.permission];
  return roles.includes(role) ? null : 'role_insufficient';
}

/** As docs/decisions/0053-roles-of-administrators.md has it; all other routes of administrators only read. */
const ADMINISTRATORS_CHANGES = {
  review_merchants: [
    ...['decideVerification', 'downloadKycDocument', 'eraseMerchantCustomer'],
    ...['getMerchantErasure', 'setLiveAccess'],
  ],
  decide_money: [
    ...['approveProposal', 'cancelPayoutByHand', 'completePayout', 'completeRefund'],
    ...['createAdminRefund', 'failPayout', 'failRefund', 'proposeCorrection', 'rejectProposal'],
    ...['resolveTask', 'reversePayout'],
  ],
  administrate: [
    ...['disableAdministrator', 'enableAdministrator', 'setMerchantRails', 'setSwitch'],
  ],
} as const;

t.test('each change by administrators needs the permission of its kind', (t) => {
  for (const [permission, operations] of Object.entries(ADMINISTRATORS_CHANGES)) {
    const found = routes.filter(
      (route) => route.path.startsWith('/v1/admin/') && route.permission === permission,
    );
    t.strictSame(found.map(({ operationId }) => operationId ?? '').sort(), operations, permission);
  }
  t.end();
});

t.test('each session route names a sensible permission', (t) => {
  for (const route of routes) {
    if (route.auth !== 'session') continue;
    const roles: readonly Role[] =
      route.permission === undefined ? [] : PERMISSIONS[route.permission];
    const name = `${route.method} ${route.path}`;
    const isAdmins = route.path.startsWith('/v1/admin/');
    t.equal(roles.every(isAdministrator), isAdmins, `${name} is for administrators alone`);
    if (!isAdmins) t.ok(roles.includes('owner'), `${name} is allowed for owners`);
    const isOwn = route.permission === 'own_account' || route.permission === 'enrol';
    const isReading = route.method === 'GET';
    if (isOwn || isReading) continue;
    t.notOk(roles.includes('viewer'), `${name} is not allowed for viewers`);
    t.notOk(roles.includes('support'), `${name} is not allowed for support`);
  }
  t.end();
});
