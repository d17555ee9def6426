// Real processes for tests: gateway, payments and the others as the Procfile starts them, each with its own
// free ports, and a whole service of them with its servers and a merchant.
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { makeDemoSecrets, seedDemo } from '#ops/dev/demo.js';
import type { DemoSecrets } from '#ops/dev/launch/secrets.js';
import { type ProcfileEntry, readProcfile } from '#ops/dev/launch/procfile.js';
import type { Program } from '#ops/dev/launch/program.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { waitForService } from '#ops/dev/launch/readiness.js';
import { type ProcessName, readConfig } from '#ops/runtime/config.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { openPostgres } from '#store/postgres/client.js';
import { control, type Controlled } from './controlled.js';
import { createDatabase, startRedis, type TestRedis, type TestScope } from './servers.js';

const STOP_MS = 60_000;
const STARTS_MS = 60_000;

type Name = Exclude<ProcessName, 'start'>;

const MAINS: Record<Name, string> = {
  gateway: 'gateway/main',
  payments: 'actors/payments/main',
  rails: 'actors/rails/main',
  webhooks: 'actors/webhooks/main',
};

/** `compiled`: each source file is a file of its own in the process. `sources`: the folder of another build. */
type Build = 'bundled' | 'compiled' | { readonly sources: string };

/** A network of its own on this machine, for bundled processes. */
export interface Host {
  readonly address: string;
  /** The words before a command that run it there. */
  readonly enter: readonly string[];
}

const HERE: Host = { address: '127.0.0.1', enter: [] };
type How = Build | Host;

const isHost = (how: How): how is Host => typeof how === 'object' && 'enter' in how;

/** The same for all processes of one test; a process with another ID_KEY refuses to start. */
export const TEST_KEYS = {
  ID_KEY: Buffer.alloc(32, 7).toString('base64'),
  SECRETS_KEY: Buffer.alloc(32, 9).toString('base64'),
  COMMAND_KEY_GATEWAY: Buffer.alloc(32, 11).toString('base64'),
  COMMAND_KEY_RAILS: Buffer.alloc(32, 12).toString('base64'),
  COMMAND_KEY_WEBHOOKS: Buffer.alloc(32, 13).toString('base64'),
};

/** The keys with which the processes of a test sign their commands. */
export const COMMAND_KEYS = readConfig('start', TEST_KEYS).commandKeys;

export interface RunningProcess extends Controlled {
  /** Of a gateway; other processes do not listen on theirs. */
  readonly baseUrl: string;
  readonly port: number;
  readonly metricsPort: number;
  /** Its log lines that are JSON, parsed. */
  logs(): Record<string, unknown>[];
}

/** The page of its metrics. */
export async function readMetrics({ metricsPort }: RunningProcess): Promise<string> {
  return (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
}

export type Variables = Readonly<Record<string, string>>;

/**
 * Starts a process and resolves when it says that it is ready. It ends with the test.
 * `variables` needs REDIS_URL and DATABASE_URL; limits are off, threads have one priority, keys are set and draining is short unless it says otherwise.
 */
export async function startProcess(
  t: TestScope,
  name: Name,
  variables: Variables,
  how: How = 'bundled',
): Promise<RunningProcess> {
  const process = await prepareProcess(t, name, variables, how);
  await process.start();
  return process;
}

/** Like `startProcess`, but the test calls `start()` itself. */
export async function prepareProcess(
  t: TestScope,
  name: Name,
  variables: Variables,
  how: How = 'bundled',
): Promise<RunningProcess> {
  const host = isHost(how) ? how : HERE;
  const port = Number(variables['PORT'] ?? (await findFreePort()));
  const metricsPort = await findFreePort();
  const program = describe(findEntry(name, isHost(how) ? 'bundled' : how), {
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    SHUTDOWN_MS: '15000',
    RAIL_BUDGETS: 'inquiry=0',
    RATE_LIMIT_KEY: '0',
    RATE_LIMIT_SESSION: '0',
    RATE_LIMIT_SANDBOX: '0',
    RATE_LIMIT_CHECKOUT: '0',
    RATE_LIMIT_LOGIN: '0',
    RATE_LIMIT_PUBLIC: '0',
    CONNECTIONS_PER_ADDRESS: '0',
    BACKGROUND_PRIORITY: 'normal',
    ...TEST_KEYS,
    ...variables,
  });
  const [command = program.command, ...args] = [...host.enter, program.command, ...program.args];
  const running = control({ ...program, command, args });
  t.teardown(() => running.stop());
  return {
    ...running,
    baseUrl: `http://${host.address}:${port}`,
    port,
    metricsPort,
    logs: () => running.lines().flatMap(parseLine),
  };
}

function findEntry(name: Name, build: Build): ProcfileEntry {
  if (typeof build === 'object') {
    const flags = [`--import=${import.meta.resolve('tsx')}`, '--conditions=kasir-source'];
    return { name, flags, main: join(build.sources, `${MAINS[name]}.ts`) };
  }
  const entry = readProcfile(findPackageRoot(), name);
  if (entry === undefined) throw new Error(`the Procfile has no process ${name}`);
  return build === 'compiled' ? { ...entry, main: `dist/${MAINS[name]}.js` } : entry;
}

function describe({ name, flags, main }: ProcfileEntry, env: Variables): Program {
  return {
    name,
    command: process.execPath,
    args: [...flags, resolve(findPackageRoot(), main)],
    env: { PATH: process.env['PATH'], ...env },
    output: 'pipe',
    hasChannel: true,
    stopSignal: 'SIGTERM',
    stopMs: STOP_MS,
  };
}

function parseLine(line: string): Record<string, unknown>[] {
  try {
    return [JSON.parse(line) as Record<string, unknown>];
  } catch {
    return [];
  }
}

export interface Service {
  readonly redis: TestRedis;
  readonly databaseUrl: string;
  readonly merchant: DemoSecrets;
  readonly gateways: readonly RunningProcess[];
  readonly payments: readonly RunningProcess[];
  /** The address of the first gateway. */
  readonly baseUrl: string;
  /** The environment of its processes, for further ones. */
  readonly variables: Variables;
}

export interface ServiceOptions {
  readonly gateways?: number;
  readonly payments?: number;
  readonly databaseUrl?: string;
  readonly variables?: Variables;
  readonly build?: Build;
}

/** A whole service: Redis, a database, a merchant, payments processes and gateways, all ready. */
export async function startService(t: TestScope, options: ServiceOptions = {}): Promise<Service> {
  const redis = await startRedis(t);
  const databaseUrl = options.databaseUrl ?? (await createDatabase(t));
  const merchant = await createTestMerchant(databaseUrl);
  const variables = { REDIS_URL: redis.url, DATABASE_URL: databaseUrl, ...options.variables };
  const startMany = async (name: 'gateway' | 'payments', count: number) => {
    const started = Array.from({ length: count }, () =>
      startProcess(t, name, variables, options.build),
    );
    return Promise.all(started);
  };
  const payments = await startMany('payments', options.payments ?? 1);
  const gateways = await startMany('gateway', options.gateways ?? 1);
  const baseUrl = gateways[0]?.baseUrl ?? '';
  const partitions = readConfig('gateway', { ...TEST_KEYS, ...variables }).partitions;
  for (const { port } of gateways) {
    await waitForService({ port, partitions, redisUrl: redis.url }, STARTS_MS);
  }
  return { redis, databaseUrl, merchant, gateways, payments, baseUrl, variables };
}

/** A merchant with a key for each environment; approved and enabled for LIVE when asked. */
export async function createTestMerchant(
  databaseUrl: string,
  options: { isLiveEnabled?: boolean } = {},
): Promise<DemoSecrets> {
  const merchant = makeDemoSecrets();
  await seedDemo(databaseUrl, merchant);
  if (options.isLiveEnabled) {
    const sql = openPostgres(databaseUrl, 'test', 1);
    await sql`update merchants set verification_status = 'APPROVED', live_enabled = true
               where id = ${merchant.merchantId}`;
    await sql.end({ timeout: 1 });
  }
  return merchant;
}

/** An idempotency key, or any other word that nobody else uses. */
export function uniqueWord(prefix = 'test'): string {
  return `${prefix}-${randomBytes(12).toString('hex')}`;
}
