// Starts the service as production runs it: bundled, each process by itself, everything on but the rate
// limits; seeds a merchant with a test key; ready when every partition is served.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { API_KEY_RANDOM_BYTES, makeApiKey } from '#actors/core/api-key.js';
import { type Environment, makeId } from '#actors/core/ids.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { waitForService } from '#ops/dev/launch/readiness.js';
import { openPostgres } from '#store/postgres/client.js';
import { createApiKey, createMerchant } from '#store/postgres/merchants/create-merchant.js';
import { readProcfile } from '#ops/dev/launch/procfile.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { migrate } from '#store/postgres/migration/migrate.js';
import type { Target } from './control.js';
import { type NodeProcess, startNode } from './node-process.js';
import { createDatabase, type Servers } from './servers.js';

const READY_MS = 30_000;

export interface Service extends Target {
  readonly gateways: NodeProcess[];
  readonly payments: NodeProcess[];
  readonly rails: NodeProcess[];
  /** Of the same merchant, who may use LIVE. */
  readonly liveKey: string;
  /** `own`: variables beside those of all, such as a PORT of its own. */
  startGateway(own?: Readonly<Record<string, string>>): Promise<NodeProcess>;
  startWebhooks(): Promise<NodeProcess>;
  startPayments(): Promise<NodeProcess>;
}

export interface ServiceOptions {
  gateways: number;
  payments: number;
  /** None unless given: TEST needs none. */
  rails?: number;
  /** Beside or instead of the usual ones, such as PARTITIONS. */
  env?: Readonly<Record<string, string>>;
}

export async function startService(servers: Servers, options: ServiceOptions): Promise<Service> {
  const databaseUrl = await createDatabase(servers, 'service');
  await migrate(databaseUrl);
  const { key, liveKey } = await seedMerchant(databaseUrl);
  const port = await findFreePort();
  const env = environmentOf(servers, databaseUrl, port, options.env ?? {});
  const gateways: NodeProcess[] = [];
  const payments: NodeProcess[] = [];
  const others: NodeProcess[] = [];
  const rails: NodeProcess[] = [];
  const start = async (name: string, into: NodeProcess[], own = {}): Promise<NodeProcess> => {
    const entry = readProcfile(findPackageRoot(), name);
    if (entry === undefined) throw new Error(`the Procfile has no process ${name}`);
    const started = await startNode({
      name,
      file: entry.main,
      flags: entry.flags,
      env: { ...env, ...own },
      output: join(servers.folder, `${name}.log`),
    });
    into.push(started);
    return started;
  };
  const service: Service = {
    name: 'service',
    port,
    ...{ key, liveKey, databaseUrl, gateways, payments, rails },
    get processes() {
      return [...gateways, ...payments, ...rails, ...others];
    },
    startGateway: (own) => start('gateway', gateways, own),
    startWebhooks: () => start('webhooks', others),
    startPayments: () => start('payments', payments),
    stop: async () => {
      await Promise.all([...gateways, ...payments, ...rails, ...others].map((one) => one.stop()));
    },
  };
  for (let index = 0; index < options.payments; index += 1) await service.startPayments();
  for (let index = 0; index < (options.rails ?? 0); index += 1) await start('rails', rails);
  for (let index = 0; index < options.gateways; index += 1) await service.startGateway();
  const partitions = Number(env['PARTITIONS']);
  await waitForService({ port, redisUrl: servers.redis.url, partitions }, READY_MS);
  return service;
}

function environmentOf(
  servers: Servers,
  databaseUrl: string,
  port: number,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    NODE_ENV: 'production',
    ALLOW_INSECURE: 'base_url,redis,postgres',
    LOG_LEVEL: 'info',
    PORT: String(port),
    PORT_SHARED: '1',
    BASE_URL: `http://127.0.0.1:${port}`,
    METRICS_PORT: '0',
    REDIS_URL: servers.redis.url,
    DATABASE_URL: databaseUrl,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    ID_KEY: randomBytes(32).toString('base64'),
    COMMAND_KEY_GATEWAY: randomBytes(32).toString('base64'),
    COMMAND_KEY_RAILS: randomBytes(32).toString('base64'),
    COMMAND_KEY_WEBHOOKS: randomBytes(32).toString('base64'),
    RAIL_BUDGETS: 'inquiry=0',
    RATE_LIMIT_KEY: '0',
    CONNECTIONS_PER_ADDRESS: '0',
    PARTITIONS: '16',
    ...own,
  };
}

/** A merchant whose payments nobody else sees, and its keys. */
async function seedMerchant(databaseUrl: string): Promise<{ key: string; liveKey: string }> {
  const merchantId = makeId('mer', randomBytes(16));
  const sql = openPostgres(databaseUrl, 'bench', 1);
  await createMerchant(sql, merchantId, 'Benchmark');
  await sql`update merchants set verification_status = 'APPROVED', live_enabled = true
             where id = ${merchantId}`;
  const addKey = async (environment: Environment): Promise<string> => {
    const secret = makeApiKey(environment, randomBytes(API_KEY_RANDOM_BYTES));
    await createApiKey(sql, {
      id: makeId('key', randomBytes(16)),
      ...{ merchantId, environment, secret },
    });
    return secret;
  };
  const keys = { key: await addKey('TEST'), liveKey: await addKey('LIVE') };
  await sql.end();
  return keys;
}
