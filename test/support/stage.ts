// The set-up of every fault test: a whole service of real processes under a steady load. The test injects its fault and
// waits until the service is ready again; then the load ends and all invariants are checked.
import type { Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { openRedis, type RedisClient } from '#store/redis/client.js';
import { buildCommandsKey } from '#store/redis/keys.js';
import { isDecided, paymentOf, summarise } from './load/history.js';
import { checkInvariants } from './invariants/check.js';
import { loadTables, samplePartitions, startSampler } from './invariants/evidence.js';
import { buildRow, recordRow, type WatchedFault } from './invariants/fault-table.js';
import { Load } from './load/load.js';
import {
  createTestMerchant,
  type RunningProcess,
  startProcess,
  uniqueWord,
  type Variables,
} from './processes.js';
import { type Proxy, startProxy } from './peers/proxy.js';
import { BASE_URL } from './serving.js';
import { createDatabase, startRedis, type TestPostgres, type TestRedis } from './servers.js';

/** Short, so that take-overs do not take long; the contract's 5 s is only another number. */
export const LEASE_MS = 1_500;
const PARTITIONS = 16;
const PER_SECOND = 150;
const SERVES_MS = 15_000;
const MAX_COUNTED = 100;
const READERS = 16;
const WATCHED_AFTER = 200;
/** Below that a run proves nothing. */
const MIN_ANSWERS = 300;

interface ServiceOptions {
  readonly gateways?: number;
  readonly payments?: number;
  readonly perSecond?: number;
  readonly variables?: Variables;
  /** A cluster that the test may harm; otherwise that of the run. */
  readonly postgres?: Pick<TestPostgres, 'createDatabase'>;
  readonly expectedQuarantined?: number | null;
  /** After which a client without a decided answer gives up. */
  readonly giveUpMs?: number;
}

export interface StageOptions extends ServiceOptions {
  /** Processes that reach Redis through the proxy, or `postgres`: all reach Postgres through it. Default: none. */
  readonly proxied?: 'everybody' | 'first payments' | 'postgres';
}

/** A service whose stores the test has started. */
export interface StoresOptions extends ServiceOptions {
  readonly redisUrl: string;
}

export interface Service {
  readonly databaseUrl: string;
  readonly gateways: readonly RunningProcess[];
  readonly payments: readonly RunningProcess[];
  readonly variables: Variables;
  readonly load: Load;
  /** Connections of the test's own, past every proxy. */
  readonly sql: Postgres;
  readonly redisClient: RedisClient;
  /** Those that `watchFault` has seen: each becomes a row of the table. */
  readonly faults: WatchedFault[];
  /** Resolves when every gateway that runs has created a payment. Nobody helps. */
  readonly serves: (deadlineMs?: number) => Promise<void>;
}

export interface Stage extends Service {
  readonly redis: TestRedis;
  readonly proxy: Proxy;
}

/** Runs `fault` under load, then judges. The service is left to itself in between. */
export async function underLoad(
  t: Test,
  options: StageOptions,
  fault: (stage: Stage) => Promise<void>,
): Promise<void> {
  const stage = await startStage(t, options);
  await judge(t, stage, options, () => fault(stage));
}

/** As `underLoad`, with a Redis of another kind. */
export async function underLoadOn(
  t: Test,
  options: StoresOptions,
  fault: (service: Service) => Promise<void>,
): Promise<void> {
  const service = await startOn(t, options);
  await judge(t, service, options, () => fault(service));
}

/** As `startStage`, with a Redis of another kind. */
export async function startOn(t: Test, options: StoresOptions): Promise<Service> {
  const databaseUrl = await createOwnDatabase(t, options);
  const { redisUrl } = options;
  return startService(t, options, { databaseUrl, redisUrl });
}

/** Runs `fault` under the load of a service, ends the load and checks every invariant. */
export async function judge(
  t: Test,
  stage: Service,
  { expectedQuarantined = 0 }: Pick<ServiceOptions, 'expectedQuarantined'>,
  fault: () => Promise<void>,
): Promise<void> {
  const sampler = startSampler(stage.sql);
  // A fault that throws must end the sampler too: its timer keeps the process alive until the runner's time limit.
  t.teardown(() => sampler.stop());
  await stage.serves();
  await stage.load.progress(100);
  await fault();
  await stage.serves();
  await stage.load.progress(100);
  await stage.load.reaches(MIN_ANSWERS);
  await stage.load.stop();
  await waitUntil('the backlog drains', async () => {
    return (await countUncommitted(stage.sql, stage.redisClient)) === 0;
  });
  await readAll(stage);
  const samples = await sampler.stop();
  const tables = await loadTables(stage.databaseUrl);
  const history = stage.load.history;
  t.comment(summarise(history));
  const evidence = { history, tables, samples, expectedQuarantined };
  for (const one of stage.faults) t.comment(recordRow(buildRow(one, evidence, PARTITIONS)));
  t.strictSame(checkInvariants(evidence), {}, 'invariants');
  const repeatable = stage.load.abandoned.filter(
    (one) => one.kind !== 'create' || one.key !== null,
  );
  t.strictSame(repeatable, [], 'whoever repeats gets an answer in the end');
  t.ok(samples.length > PARTITIONS * 10, 'positions were watched');
  for (const one of [...stage.gateways, ...stage.payments]) {
    t.ok(one.isRunning(), `${one.name} did not end by itself (${one.ended() ?? 'runs'})`);
  }
}

/** Runs a fault of a stage until 200 more requests are answered, and keeps it for the table. */
export async function watchFault(
  { load, faults }: Pick<Service, 'load' | 'faults'>,
  { engine, fault }: Pick<WatchedFault, 'engine' | 'fault'>,
  work: () => Promise<unknown>,
): Promise<void> {
  const fromMs = performance.now();
  await work();
  await load.progress(WATCHED_AFTER);
  faults.push({ engine, fault, fromMs, toMs: performance.now() });
}

/** A service with its load, and no judgement: for tests that look at single answers. */
export async function startStage(t: Test, options: StageOptions): Promise<Stage> {
  const redis = await startRedis(t);
  const databaseUrl = await createOwnDatabase(t, options);
  const { proxied } = options;
  const isPostgresProxied = proxied === 'postgres';
  const proxy = await startProxy(
    t,
    isPostgresProxied ? Number(new URL(databaseUrl).port) : redis.port,
  );
  const variables: Variables = {
    ...(proxied === 'everybody' ? { REDIS_URL: proxy.through(redis.url) } : {}),
    ...(isPostgresProxied ? { DATABASE_URL: proxy.through(databaseUrl) } : {}),
    ...options.variables,
  };
  const service = await startService(
    t,
    { ...options, variables },
    {
      ...{ databaseUrl, redisUrl: redis.url },
      firstPayments: proxied === 'first payments' ? { REDIS_URL: proxy.through(redis.url) } : {},
    },
  );
  return { redis, proxy, ...service };
}

const createOwnDatabase = (t: Test, { postgres }: ServiceOptions): Promise<string> =>
  postgres?.createDatabase('kasir') ?? createDatabase(t);

interface Places {
  /** Past every proxy. */
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Of the first payments process alone. */
  readonly firstPayments?: Variables;
}

async function startService(
  t: Test,
  options: ServiceOptions,
  { databaseUrl, redisUrl, firstPayments = {} }: Places,
): Promise<Service> {
  const merchant = await createTestMerchant(databaseUrl);
  const variables: Variables = {
    LEASE_MS: String(LEASE_MS),
    PARTITIONS: String(PARTITIONS),
    BASE_URL,
    REDIS_URL: redisUrl,
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'warn',
    ...options.variables,
  };
  const variablesOf = (name: 'gateway' | 'payments', index: number): Variables =>
    name === 'payments' && index === 0 ? { ...variables, ...firstPayments } : variables;
  const startMany = (name: 'gateway' | 'payments', count = 1): Promise<RunningProcess[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) => startProcess(t, name, variablesOf(name, index))),
    );
  const payments = await startMany('payments', options.payments);
  const gateways = await startMany('gateway', options.gateways);
  const places = { databaseUrl, redisUrl, gateways, payments, variables };
  return openService(t, { ...options, ...places, apiKey: merchant.testKey });
}

interface Started
  extends
    Pick<ServiceOptions, 'perSecond' | 'giveUpMs'>,
    Pick<Service, 'databaseUrl' | 'gateways' | 'payments' | 'variables'> {
  readonly redisUrl: string;
  /** Of the merchant whose customers pay. */
  readonly apiKey: string;
  /** Addresses for the load, which the test may change. Default: of all gateways. */
  readonly balanced?: readonly string[];
}

/** The load on processes that run, and connections of the test's own. */
export function openService(t: Test, started: Started): Service {
  const { databaseUrl, redisUrl, gateways, payments, variables, apiKey, giveUpMs } = started;
  const sql = openPostgres(databaseUrl, 'test', 2);
  const redisClient = openRedis(redisUrl, () => {});
  const load = new Load({
    gateways: started.balanced ?? gateways.map(({ baseUrl }) => baseUrl),
    ...{ apiKey, perSecond: started.perSecond ?? PER_SECOND },
    ...(giveUpMs === undefined ? {} : { giveUpMs }),
  });
  t.teardown(async () => {
    await load.close();
    redisClient.disconnect();
    await sql.end({ timeout: 1 });
  });
  const serves = async (deadlineMs = SERVES_MS): Promise<void> => {
    const running = gateways.filter((gateway) => gateway.isRunning());
    await Promise.all(running.map((gateway) => createsAt(load, gateway.baseUrl, deadlineMs)));
  };
  const faults: WatchedFault[] = [];
  return { databaseUrl, gateways, payments, variables, load, sql, redisClient, faults, serves };
}

/** How many processes own partitions; 0 while some partition has no owner. */
export async function countOwners({ sql }: Pick<Service, 'sql'>): Promise<number> {
  const [row] = await sql`
    select count(distinct owner)::int as owners, count(owner)::int as owned from partitions`;
  return row?.['owned'] === PARTITIONS ? Number(row['owners']) : 0;
}

export function createsAt(load: Load, gateway: string, deadlineMs: number): Promise<unknown> {
  return waitUntil(
    `${gateway} serves`,
    async () => {
      const reference = uniqueWord('probe');
      const create = { kind: 'create', key: reference, reference, amount: '15000' } as const;
      const { result } = await load.once(create, gateway);
      return result.kind === 'answer' && result.status === 201;
    },
    deadlineMs,
  );
}

/** The number of frames behind the committed positions, at most MAX_COUNTED in a partition. */
export async function countUncommitted(sql: Postgres, redis: RedisClient): Promise<number> {
  let count = 0;
  for (const { id, ms, seq } of await samplePartitions(sql)) {
    const after = `(${ms}-${seq}`;
    const frames = await redis.xrange(buildCommandsKey(id), after, '+', 'COUNT', MAX_COUNTED);
    count += frames.length;
  }
  return count;
}

/** Reads every payment that was ever answered, so that the last entries of the history show them all. */
export async function readAll({ load, gateways }: Service): Promise<void> {
  const ids = new Set(load.history.filter(isDecided).map(paymentOf));
  const running = gateways.filter((gateway) => gateway.isRunning());
  const left = [...ids].filter((id) => id !== undefined);
  const read = async (reader: number): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const gateway = running[reader % running.length]?.baseUrl ?? '';
      const get = { kind: 'get', paymentId: id } as const;
      await waitUntil(`${id} is read`, async () => {
        return isDecided(await load.once(get, gateway));
      });
    }
  };
  await Promise.all(Array.from({ length: READERS }, (_, reader) => read(reader)));
}
