// Two merchants of one service, and for each path parameter an object of the first one, whose id the second one tries. A new
// path parameter fails until `buildObjects` makes its object.
import { makeId } from '#actors/core/ids.js';
import type { Route } from '#gateway/routing/route.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { beginSession, insertPasskey, makePerson } from '../accounts.js';
import { type Api, type ApiAnswer, openApi } from '../api.js';
import { createTestMerchant, startService } from '../processes.js';
import { listRoutes } from '../routes.js';
import { buildSample } from '../sample.js';
import type { TestScope } from '../servers.js';

type Service = Pick<Awaited<ReturnType<typeof startService>>, 'baseUrl' | 'databaseUrl'>;
type Merchant = Awaited<ReturnType<typeof openMerchant>>;

/** A merchant with its keys and a session of its owner. */
async function openMerchant({ baseUrl, databaseUrl }: Service, sql: Postgres) {
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

export async function openForeignIds(t: TestScope) {
  const service = await startService(t);
  const sql = openPostgres(service.databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  const victim = await openMerchant(service, sql);
  const otherMerchant = await openMerchant(service, sql);
  const objects = buildObjects(victim, sql);
  /** Makes an object of the victim for the path parameter of the route. */
  const makeObject = async ({ params }: Pick<Route, 'params'>): Promise<string> => {
    const [name = '', ...more] = Object.keys(params);
    const make = objects[name];
    if (make === undefined || more.length > 0) {
      throw new Error(
        `say in buildObjects how a merchant comes by ${[name, ...more].join(' and ')}`,
      );
    }
    return String(await make());
  };
  return { victim, otherMerchant, makeObject };
}

async function post(
  api: Api,
  path: string,
  body: object,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await api.call(path, { method: 'POST', body });
  if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.text}`);
  return answer.body;
}

const ENDPOINTS = '/v1/merchants/me/webhooks';

/** Makes an object of the victim for each path parameter. */
function buildObjects(
  victim: Merchant,
  sql: Postgres,
): Readonly<Record<string, () => Promise<unknown>>> {
  const payPaid = async (): Promise<string> => {
    const { body } = await victim.test.create({ amount: '15000' });
    await victim.test.simulate(body['id'], 'paid');
    return String(body['id']);
  };

  const makeEndpoint = () =>
    post(victim.session, ENDPOINTS, {
      ...{ url: 'https://example.com/hook', environment: 'TEST', allow_many: true },
    });

  const makeDelivery = async (): Promise<string> => {
    const { id } = await makeEndpoint();
    const delivery = await post(victim.session, `${ENDPOINTS}/${String(id)}/test`, {});
    await sql`
    update webhook_deliveries set status = 'dead', settled_at = now() where id = ${String(delivery['id'])}`;
    return String(delivery['id']);
  };

  return {
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
}

/** Merchants' routes only: open routes take any id, and administrators see all merchants. */
export const FOREIGN_ROUTES = listRoutes().filter(
  ({ auth, params, path }) =>
    auth !== 'none' && Object.keys(params).length > 0 && !path.startsWith('/v1/admin/'),
);

/** An id of the same form that no object has. */
export const makeUnknownId = (id: string): string => {
  const [prefix = '', body = ''] = id.split('_');
  const other = makeId('pay', Buffer.alloc(16, 0x2a)).slice(4);
  const filled = /^[0-9a-f]{32}$/.test(body) ? '0'.repeat(32) : other + body.slice(other.length);
  return `${prefix}_${filled}`;
};

export async function ask(api: Api, route: Route, id: string): Promise<ApiAnswer> {
  const path = route.path.replace(/\{\w+\}/, id);
  const body = route.body === undefined ? {} : { body: buildSample(route.body.schema) };
  return api.call(path, { method: route.method, ...body });
}
