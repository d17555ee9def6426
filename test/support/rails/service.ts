// A service with LIVE rails: gateway, payments and rails processes, and both rails in the simulator.
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { buildCallbackPath } from '#actors/core/rails/live-rails.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { type Api, openApi } from '../api.js';
import {
  createTestMerchant,
  prepareProcess,
  type RunningProcess,
  type Service,
  startService,
  TEST_KEYS,
  uniqueWord,
} from '../processes.js';
import { BASE_URL } from '../serving.js';
import type { TestScope } from '../servers.js';
import { SIMULATED, type SimulatedRails, simulateRails } from './simulator.js';

export interface RailService extends Service {
  readonly simulated: SimulatedRails;
  readonly rails: RunningProcess;
  readonly live: Api;
  readonly test: Api;
  readonly sql: Postgres;
  /** The address to which the rail sends callbacks. */
  readonly callbackUrl: (rail: RailName) => string;
  readonly create: (method: string, amount?: string) => ReturnType<Api['create']>;
  readonly statusOf: (id: unknown) => Promise<unknown>;
  /** Ids of the methods that the merchant is offered. */
  readonly methods: () => Promise<readonly string[]>;
  /** Counts the rails' orders with this id: 0 or 1. */
  readonly ordersOf: (orderId: unknown) => Promise<number>;
}

/** Prepares the rails process; the test starts it. `databaseUrl`: that of a Postgres which the test may harm. */
export async function startRailService(
  t: TestScope,
  variables: Readonly<Record<string, string>> = {},
  databaseUrl?: string,
): Promise<RailService> {
  const simulated = await simulateRails(t);
  const { midtransUrl, xenditUrl } = simulated.simulator;
  const service = await startService(t, {
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    variables: {
      BASE_URL,
      RAIL_MIDTRANS_URL: midtransUrl,
      RAIL_MIDTRANS_SERVER_KEY: SIMULATED.midtransServerKey,
      RAIL_XENDIT_URL: xenditUrl,
      RAIL_XENDIT_SECRET_KEY: SIMULATED.xenditSecretKey,
      RAIL_XENDIT_CALLBACK_TOKEN: SIMULATED.xenditCallbackToken,
      RAIL_ROUTES: 'QRIS=midtrans,xendit;VA_BCA=xendit',
      ...variables,
    },
  });
  const rails = await prepareProcess(t, 'rails', service.variables);
  const merchant = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });
  const sql = openPostgres(service.databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  const idKey = Buffer.from(TEST_KEYS.ID_KEY, 'base64');
  const callbackUrl = (rail: RailName): string => service.baseUrl + buildCallbackPath(idKey, rail);
  const targets = { midtrans: callbackUrl('midtrans'), xendit: callbackUrl('xendit') };
  await simulated.control('PUT', 'targets', targets);
  const live = openApi(service.baseUrl, merchant.liveKey);
  return {
    ...service,
    simulated,
    rails,
    live,
    test: openApi(service.baseUrl, merchant.testKey),
    sql,
    callbackUrl,
    create: (method, amount = '25000') =>
      live.create({ amount, payment_method: method }, uniqueWord()),
    statusOf: async (id) => (await live.get(id)).body['status'],
    methods: () => listMethods(live),
    ordersOf: async (orderId) => {
      const { data } = (await simulated.control('GET', 'orders')) as { data: object[] };
      return data.filter((order) => Object.values(order).includes(orderId)).length;
    },
  };
}

async function listMethods(live: Api): Promise<readonly string[]> {
  const { body } = await live.call('/v1/payment-methods');
  return ((body['data'] ?? []) as { id: string }[]).map(({ id }) => id);
}

/** Starts the rails process, and waits until its methods are offered. */
export async function startRails({ rails, methods }: RailService): Promise<void> {
  await rails.start();
  await waitUntil('methods are offered', async () => (await methods()).includes('QRIS'));
}
