// The set-up of the webhook benches: servers, receivers, and one webhooks process with every feature on, started as in
// the Procfile. Each merchant has one endpoint on its own port.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { encodeBase32, makeId } from '#actors/core/ids.js';
import { makeWebhookSecret } from '#actors/core/webhooks/sign.js';
import { readProcfile } from '#ops/dev/launch/procfile.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { type Certificates, makeCertificates } from '#ops/dev/webhook-receiver/certificates.js';
import { readConfig } from '#ops/runtime/config.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { sealSecret } from '#ops/runtime/sealed-secrets.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { createMerchant } from '#store/postgres/merchants/create-merchant.js';
import { migrate } from '#store/postgres/migration/migrate.js';
import { putEndpoint } from '#store/postgres/webhooks/change-endpoints.js';
import { describeMachine } from '../figures/machine.js';
import { type NodeProcess, startNode } from '../stage/node-process.js';
import { createDatabase, type Servers, startServers } from '../stage/servers.js';
import type { Manner, ReceiverSettings, Report } from './receiver.js';

export interface BenchEndpoint {
  readonly id: string;
  readonly merchantId: string;
  readonly url: string;
  readonly manner: Manner;
}

export interface WebhookStage {
  readonly servers: Servers;
  readonly machine: string;
  readonly sql: Postgres;
  readonly redis: Redis;
  readonly certificates: Certificates;
  readonly caFile: string;
  readonly endpoints: readonly BenchEndpoint[];
  readonly receiver: NodeProcess;
  readonly webhooks: NodeProcess;
  /** The arrivals since the last `forget`. */
  report(withArrivals?: boolean): Promise<Report>;
  forget(): Promise<void>;
}

/** Runs `work` with an endpoint for each of `manners`, and takes everything down again. */
export async function onWebhookStage<T>(
  manners: readonly Manner[],
  work: (stage: WebhookStage) => Promise<T>,
): Promise<T> {
  const releases: (() => Promise<unknown>)[] = [];
  try {
    const servers = await startServers();
    releases.push(() => servers.stop());
    const databaseUrl = await createDatabase(servers, 'webhooks');
    await migrate(databaseUrl);
    const sql = openPostgres(databaseUrl, 'bench', 2);
    releases.push(() => sql.end({ timeout: 1 }));
    const redis = new Redis(servers.redis.url);
    releases.push(() => Promise.resolve(redis.disconnect()));
    const certificates = await makeCertificates();
    const caFile = join(servers.folder, 'ca.pem');
    writeFileSync(caFile, certificates.ca);
    const ports = await Promise.all(
      manners.map(async (manner) => ({ port: await findFreePort(), manner })),
    );
    const reportPort = await findFreePort();
    const receiver = await startReceiver(servers, { ...certificates, reportPort, ports });
    releases.push(() => receiver.stop());
    const env = environmentOf(servers, databaseUrl, caFile);
    const endpoints = await addEndpoints(sql, env, ports);
    const webhooks = await startWebhooks(servers, env);
    releases.push(() => webhooks.stop());
    const machine = await describeMachine(servers.postgres.url('postgres'));
    const ask = (path: string, method: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${reportPort}${path}`, { method });
    return await work({
      ...{ servers, machine, sql, redis, certificates, caFile, endpoints, receiver, webhooks },
      report: async (withArrivals = false) =>
        (await (await ask(withArrivals ? '/arrivals' : '/', 'GET')).json()) as Report,
      forget: async () => {
        await ask('/', 'DELETE');
      },
    });
  } finally {
    for (const release of releases.reverse()) await release();
  }
}

export function startReceiver(servers: Servers, settings: ReceiverSettings): Promise<NodeProcess> {
  const file = join(servers.folder, 'receiver.json');
  writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
  return startNode({
    name: 'receiver',
    file: 'dist/bench/webhooks/receiver.js',
    args: [file],
    output: join(servers.folder, 'receiver.log'),
  });
}

function startWebhooks(servers: Servers, env: Record<string, string>): Promise<NodeProcess> {
  const entry = readProcfile(findPackageRoot(), 'webhooks');
  if (entry === undefined) throw new Error('the Procfile has no process webhooks');
  const { name, flags, main: file } = entry;
  return startNode({ name, flags, file, env, output: join(servers.folder, 'webhooks.log') });
}

function environmentOf(servers: Servers, databaseUrl: string, caFile: string) {
  return {
    // Receivers on this machine are no targets in production; nothing else depends on it.
    NODE_ENV: 'development',
    LOG_LEVEL: 'info',
    METRICS_PORT: '0',
    REDIS_URL: servers.redis.url,
    DATABASE_URL: databaseUrl,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    ID_KEY: randomBytes(32).toString('base64'),
    COMMAND_KEY_GATEWAY: randomBytes(32).toString('base64'),
    COMMAND_KEY_RAILS: randomBytes(32).toString('base64'),
    COMMAND_KEY_WEBHOOKS: randomBytes(32).toString('base64'),
    WEBHOOK_CA_FILE: caFile,
    WEBHOOK_ALLOW_TARGETS: '127.0.0.0/8,::1/128',
  };
}

async function addEndpoints(
  sql: Postgres,
  env: Record<string, string>,
  ports: readonly { port: number; manner: Manner }[],
): Promise<BenchEndpoint[]> {
  const { secretsKeys } = readConfig('webhooks', env);
  const endpoints: BenchEndpoint[] = [];
  for (const { port, manner } of ports) {
    const merchantId = makeId('mer', randomBytes(16));
    await createMerchant(sql, merchantId, 'Benchmark');
    const id = `we_${encodeBase32(randomBytes(16))}`;
    const sealedSecret = sealSecret(secretsKeys, id, makeWebhookSecret(randomBytes(32)));
    const url = `https://localhost:${port}/hook`;
    await putEndpoint(sql, {
      ...{ id, merchantId, url, sealedSecret },
      environment: 'TEST',
      events: ['*'],
    });
    endpoints.push({ id, merchantId, url, manner });
  }
  return endpoints;
}
