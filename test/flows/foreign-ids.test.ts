// An id of another merchant or environment does not exist: each route with an id in its path answers it exactly like an
// unknown id, byte for byte except the request id. A new path parameter fails here until the table below makes its object.
import t, { type Test } from 'tap';
import { makeId } from '#actors/core/ids.js';
import { buildSample } from '#test/support/sample.js';
import type { Route } from '#gateway/routing/route.js';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, insertPasskey, makePerson } from '../support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '../support/api.js';
import { compareTimes, isNear, median } from '../support/http/timing.js';
import { createTestMerchant, startService } from '../support/processes.js';
import { listRoutes } from '../support/routes.js';

const TURNS = 15;
/** A row outside its bound is measured anew so often: the noise of a busy machine goes away, a query or a hash stays. */
const MEASURED_ANEW = 5;
/** Bounds of the time ratio, for the median of all routes and for one route: noise stays far below, a query or a hash is above. */
const NO_TELL = 1.4;
const NO_TELL_OF_A_ROW = 3;

const service = await startService(t);
const { baseUrl, databaseUrl } = service;
const sql = openPostgres(databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));

/** A merchant with its keys and a session of its owner. */
async function openMerchant() {
  const keys = await createTestMerchant(databaseUrl, { isLiveEnabled: true });
  await sql`
    update api_keys set scopes = array['read', 'write', 'payouts']
     where merchant_id = ${keys.merchantId} and environment = 'LIVE'`;
  const owner = await makePerson(sql, 'owner', keys.merchantId);
  const session = openApi(baseUrl, await beginSession(sql, owner));
  return {
    ...{ merchantId: keys.merchantId, owner, session },
    test: openApi(baseUrl, keys.testKey),
    live: openApi(baseUrl, keys.liveKey),
  };
}

const victim = await openMerchant();
const stranger = await openMerchant();

async function post(
  api: Api,
  path: string,
  body: object,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await api.call(path, { method: 'POST', body });
  if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.text}`);
  return answer.body;
}

async function payPaid(): Promise<string> {
  const { body } = await victim.test.create({ amount: '15000' });
  await victim.test.simulate(body['id'], 'paid');
  return String(body['id']);
}

const ENDPOINTS = '/v1/merchants/me/webhooks';
const makeEndpoint = () =>
  post(victim.session, ENDPOINTS, {
    ...{ url: 'https://example.com/hook', environment: 'TEST', allow_many: true },
  });

async function makeDelivery(): Promise<string> {
  const { id } = await makeEndpoint();
  const delivery = await post(victim.session, `${ENDPOINTS}/${String(id)}/test`, {});
  await sql`
    update webhook_deliveries set status = 'dead', settled_at = now() where id = ${String(delivery['id'])}`;
  return String(delivery['id']);
}

/** Makes an object of the victim for each path parameter. */
const OBJECTS: Readonly<Record<string, () => Promise<unknown>>> = {
  payment_id: payPaid,
  refund_id: async () =>
    (await post(victim.test, '/v1/refunds', { payment_id: await payPaid() }))['id'],
  payout_id: async () => {
    await payPaid();
    const account = {
      bank_code: 'BCA',
      account_number: '1234567890',
      account_holder: 'Budi Santoso',
    };
    return (await post(victim.test, '/v1/payouts', { amount: '10000', ...account }))['id'];
  },
  event_id: async () => {
    const { body } = await victim.test.call(`/v1/payments/${await payPaid()}/events`);
    return (body['data'] as { id: string }[])[0]?.id;
  },
  user_id: async () => (await makePerson(sql, 'viewer', victim.merchantId)).userId,
  session_id: async () => {
    await beginSession(sql, victim.owner);
    const [row] = await sql<{ id: string }[]>`
      select id from sessions where user_id = ${victim.owner.userId} order by created_at desc, id`;
    return row?.id;
  },
  passkey_id: () => insertPasskey(sql, victim.owner),
  api_key_id: async () =>
    (await post(victim.session, '/v1/merchants/me/api-keys', { environment: 'TEST' }))['id'],
  webhook_id: async () => (await makeEndpoint())['id'],
  delivery_id: makeDelivery,
  replay_id: async () => {
    // One at a time.
    await sql`update webhook_replays set completed_at = now()`;
    await makeDelivery();
    return (await post(victim.session, `${ENDPOINTS}/dlq/replay`, {}))['id'];
  },
  request_id: async () => {
    const id = 'req_4f1f7dc669b8b5d68fc900000a';
    const { merchantId } = victim;
    await sql`
      insert into api_logs (at, request_id, merchant_id, environment, key_id, method, path, status,
                            duration_ms)
      values (now(), ${id}, ${merchantId}, 'TEST', 'key_x', 'GET', '/v1/payments', 200, 1)`;
    return id;
  },
  payment_link_id: async () =>
    (
      await post(victim.session, '/v1/merchants/me/payment-links', {
        title: 'Kopi',
        amount: '15000',
        environment: 'TEST',
      })
    )['id'],
  erasure_id: async () =>
    (
      await post(victim.session, '/v1/merchants/me/erasures', {
        customer_email: 'nobody@example.com',
        environment: 'TEST',
      })
    )['id'],
  invoice_id: async () =>
    (
      await post(victim.session, '/v1/merchants/me/invoices', {
        items: [{ description: 'Kopi', quantity: 1, unit_amount: '15000' }],
        environment: 'TEST',
      })
    )['id'],
};

/** Merchants' routes only: open routes take any id, and administrators see all merchants. */
const rows = listRoutes().filter(
  ({ auth, params, path }) =>
    auth !== 'none' && Object.keys(params).length > 0 && !path.startsWith('/v1/admin/'),
);

/** An id of the same form that no object has. */
const nobodys = (id: string): string => {
  const [prefix = '', body = ''] = id.split('_');
  const other = makeId('pay', Buffer.alloc(16, 0x2a)).slice(4);
  const filled = /^[0-9a-f]{32}$/.test(body) ? '0'.repeat(32) : other + body.slice(other.length);
  return `${prefix}_${filled}`;
};

async function ask(api: Api, route: Route, id: string): Promise<ApiAnswer> {
  const path = route.path.replace(/\{\w+\}/, id);
  const body = route.body === undefined ? {} : { body: buildSample(route.body.schema) };
  return api.call(path, { method: route.method, ...body });
}

const withoutRequest = ({ status, text }: ApiAnswer): string =>
  `${status} ${text.replace(/req_\w+/, 'req_')}`;

function isHidden(t: Test, [found, unknown]: readonly [ApiAnswer, ApiAnswer], name: string): void {
  t.equal(found.status, 404, `${name}: ${found.text}`);
  t.equal(withoutRequest(found), withoutRequest(unknown), `${name}: as an id that nobody has`);
}

t.ok(rows.length > 15, `${rows.length} rows`);

t.test("another merchant's id is answered like an unknown id", async (t) => {
  for (const route of rows) {
    const name = `${route.method} ${route.path}`;
    const id = await makeObject(route);
    const [mine, theirs] =
      route.auth === 'key' ? [stranger.test, victim.test] : [stranger.session, victim.session];
    isHidden(t, [await ask(mine, route, id), await ask(mine, route, nobodys(id))], name);
    const own = await ask(theirs, route, id);
    t.not(own.status, 404, `${name}: its own merchant finds it (${own.text})`);
  }
});

/** One object of each kind, made once. */
const made = new Map<string, Promise<string>>();

t.test('an id of another merchant takes as long as an unknown id', async (t) => {
  const ratios: number[] = [];
  for (const route of rows) {
    const name = Object.keys(route.params).join();
    const id = await (made.get(name) ?? remember(name, makeObject(route)));
    const api = route.auth === 'key' ? stranger.test : stranger.session;
    const compare = () =>
      compareTimes(
        () => ask(api, route, id),
        () => ask(api, route, nobodys(id)),
        TURNS,
      );
    let ratio = await compare();
    for (let left = MEASURED_ANEW; left > 0 && !isNear(ratio, NO_TELL_OF_A_ROW); left -= 1) {
      ratio = await compare();
    }
    ratios.push(ratio);
  }
  const typical = median(ratios);
  t.ok(isNear(typical, NO_TELL), `typically ${typical.toFixed(2)} times as long`);
  t.same(
    rows
      .filter((_, index) => !isNear(ratios[index] ?? 0, NO_TELL_OF_A_ROW))
      .map(({ path }) => path),
    [],
    ratios.map((ratio) => ratio.toFixed(1)).join(' '),
  );
});

function remember(name: string, id: Promise<string>): Promise<string> {
  made.set(name, id);
  return id;
}

t.test('no list of another merchant shows an object of the merchant', async (t) => {
  const lists = listRoutes().filter(
    ({ auth, method, params, path }) =>
      auth !== 'none' &&
      method === 'GET' &&
      Object.keys(params).length === 0 &&
      !path.startsWith('/v1/admin/'),
  );
  t.ok(lists.length > 15, `${lists.length} lists`);
  const { merchantId } = victim;
  const ids = [merchantId, victim.owner.email, ...(await Promise.all(made.values()))];
  const idsIn = ({ text }: ApiAnswer): string[] => ids.filter((id) => text.includes(id));
  const seen = new Set<string>();
  for (const route of lists) {
    const who = route.auth === 'key' ? 'test' : 'session';
    for (const accept of route.hasCsv === true ? ['application/json', 'text/csv'] : ['*/*']) {
      const [own, other] = [
        await list(victim[who], route, accept),
        await list(stranger[who], route, accept),
      ];
      for (const id of idsIn(own)) seen.add(id);
      t.equal(other.status, own.status, `${route.path}: ${other.text}`);
      t.same(idsIn(other), [], `${route.path} ${accept}`);
    }
  }
  t.ok(seen.size > ids.length / 2, `its own merchant sees ${seen.size} of ${ids.length}`);
});

/** TEST, where the list needs an environment. */
function list(api: Api, { path, query }: Route, accept: string): Promise<ApiAnswer> {
  const names = Object.keys((query?.schema['properties'] ?? {}) as object);
  const wish = names.includes('environment') ? '?environment=TEST' : '';
  return api.call(path + wish, { headers: { accept } });
}

t.test('an id of the other environment is answered like an unknown id', async (t) => {
  for (const route of rows.filter(({ auth }) => auth === 'key')) {
    const id = await makeObject(route);
    const name = `${route.method} ${route.path}`;
    isHidden(
      t,
      [await ask(victim.live, route, id), await ask(victim.live, route, nobodys(id))],
      name,
    );
  }
});

async function makeObject({ params }: Route): Promise<string> {
  const [name = '', ...more] = Object.keys(params);
  const make = OBJECTS[name];
  if (make === undefined || more.length > 0) {
    throw new Error(`say in OBJECTS how a merchant comes by ${[name, ...more].join(' and ')}`);
  }
  return String(await make());
}
