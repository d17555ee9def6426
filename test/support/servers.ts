// Real servers for tests. One Postgres cluster serves a whole run of the suite (made by run.ts, which hands
// its address on); each test asks for a database of its own, cloned from a migrated template. Redis is one
// server per test that asks for it. Fault tests can have a cluster of their own.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import {
  type PostgresOptions,
  type PostgresServer,
  preparePostgres,
} from '#ops/dev/servers/postgres.js';
import { prepareRedis } from '#ops/dev/servers/redis.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { migrate } from '#store/postgres/migration/migrate.js';
import { control, type Controlled } from './controlled.js';

/** Where run.ts says which cluster to use: the address of its database `postgres`. */
export const CLUSTER_VARIABLE = 'KASIR_TEST_POSTGRES';
const TEMPLATE = 'kasir_template';
const TEST_MAX_MEMORY = '256mb';
const MAX_CONNECTIONS = 300;
/** Linux keeps the files of this folder in memory. Containers often have 64 MiB there. */
const MEMORY = '/dev/shm';
const MIN_MEMORY_BYTES = 4 * 1024 ** 3;
const OURS = /^kasir-(test|mutants)-/;
/** No run lasts so long. */
const ABANDONED_MS = 24 * 3_600_000;

/** The part of a tap test that is needed here: its clean-up runs in reverse order. */
export interface TestScope {
  teardown(clean: () => unknown): void;
}

export interface TestRedis extends Controlled {
  readonly url: string;
  readonly port: number;
  /** kill -9 and start again on the same port; `isWiped` also takes its data away. */
  restart(options?: { isWiped?: boolean }): Promise<void>;
}

export interface TestPostgres extends Controlled {
  /** The address of its database `postgres`. */
  readonly url: string;
  /** Of its data. */
  readonly folder: string;
  /** A migrated database, by the given name. */
  createDatabase(name: string): Promise<string>;
}

/** Deleted after the test. */
export function makeFolder(t: TestScope, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'kasir-test-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/**
 * A Redis on a free port that ends with the test. As in production it writes each command to its file before it answers, so
 * `kill -9` loses nothing. It does not wait for the disk: no test cuts the power.
 */
export async function startRedis(
  t: TestScope,
  options: { settings?: readonly string[]; password?: string } = {},
): Promise<TestRedis> {
  const folder = join(makeFolder(t), 'redis');
  const port = await findFreePort();
  const password = options.password ?? randomBytes(12).toString('hex');
  const server = prepareRedis({
    ...{ folder, port, password },
    maxMemory: TEST_MAX_MEMORY,
    output: 'pipe',
    settings: ['appendfsync no', ...(options.settings ?? [])],
  });
  const redis = control(server.program, () => server.isUp());
  t.teardown(() => redis.stop());
  await redis.start();
  const restart = async (options: { isWiped?: boolean } = {}): Promise<void> => {
    if (redis.isRunning()) await redis.kill();
    if (options.isWiped) rmSync(folder, { recursive: true, force: true });
    await redis.start();
  };
  return { ...redis, url: server.url, port, restart };
}

/**
 * A folder in memory where there is room, since a database is 1,500 files that live for seconds: to make and drop one takes
 * 0.05 s of CPU there, 0.07 on a disk, and 0.5 on ext4 without a journal, which looks for inodes that were not freed lately.
 * A TMPDIR that is set goes first: whoever set it deletes what ended tests leave there.
 */
export function findFastFolder(): string {
  if (process.env['TMPDIR'] !== undefined) return tmpdir();
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > MIN_MEMORY_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Deletes what runs left in memory that were ended by SIGKILL. */
export function deleteAbandoned(): void {
  const parent = findFastFolder();
  if (parent !== MEMORY) return;
  for (const name of readdirSync(parent).filter((name) => OURS.test(name))) {
    const folder = join(parent, name);
    const ageMs = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Infinity);
    if (ageMs > ABANDONED_MS) rmSync(folder, { recursive: true, force: true });
  }
}

/** A cluster of its own, for tests that kill it, or need another version; others use `createDatabase`. */
export async function startPostgres(
  t: TestScope,
  options: {
    native?: string;
    isDurable?: boolean;
    maxConnections?: number;
    address?: string;
  } = {},
): Promise<TestPostgres> {
  const password = randomBytes(12).toString('hex');
  return runPostgres(t, await prepare(t, { ...options, password }));
}

/** A standby of `primary`, which is stopped for a moment. It follows with what was committed, a little later. */
export async function startStandby(t: TestScope, primary: TestPostgres): Promise<TestPostgres> {
  const { port, password } = new URL(primary.url);
  await primary.stop();
  const standbyOf = { folder: primary.folder, port: Number(port) };
  const server = await prepare(t, { password, standbyOf });
  await primary.start();
  return runPostgres(t, server);
}

async function prepare(
  t: TestScope,
  options: Pick<PostgresOptions, 'native' | 'password' | 'standbyOf'> &
    Partial<Pick<PostgresOptions, 'isDurable' | 'maxConnections' | 'address'>>,
): Promise<PostgresServer> {
  return preparePostgres({
    ...{ isDurable: false, maxConnections: MAX_CONNECTIONS },
    ...options,
    base: makeFolder(t, findFastFolder()),
    port: await findFreePort(),
    output: 'pipe',
  });
}

async function runPostgres(t: TestScope, server: PostgresServer): Promise<TestPostgres> {
  const cluster = control(server.program, () => server.isUp());
  t.teardown(() => cluster.stop());
  await cluster.start();
  return {
    ...cluster,
    // The children of a killed server hold its memory for a moment more, and no other one starts until they notice.
    start: async () => {
      await waitUntil('Postgres starts again', () => cluster.start().then(() => true));
    },
    url: server.url('postgres'),
    folder: server.folder,
    createDatabase: async (name) => {
      await execute(server.url('postgres'), (sql) => sql`create database ${sql(name)}`);
      await migrate(server.url(name));
      return server.url(name);
    },
  };
}

/** The address of an empty, migrated database that is dropped after the test. */
export async function createDatabase(t: TestScope): Promise<string> {
  const cluster = await findCluster();
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Written through the log, as by default, a copy takes 0.12 s of CPU; file by file it takes 0.03.
  await execute(
    cluster,
    (sql) => sql`create database ${sql(name)} template ${sql(TEMPLATE)} strategy file_copy`,
  );
  t.teardown(() => execute(cluster, (sql) => sql`drop database ${sql(name)} with (force)`));
  return withDatabase(cluster, name);
}

/** Runs one transaction that fills large tables. Its statements may take longer than the pool's 4 s. */
export async function fillTables(
  sql: Postgres,
  fill: (tx: postgres.TransactionSql) => Promise<unknown>,
): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local statement_timeout = 0`;
    await fill(tx);
  });
}

/** Makes the template in a new cluster. Nobody may be connected to it when it is cloned. */
export async function createTemplate(cluster: string): Promise<void> {
  await execute(cluster, (sql) => sql`create database ${sql(TEMPLATE)}`);
  await migrate(withDatabase(cluster, TEMPLATE));
}

let ownCluster: Promise<string> | null = null;

/** That of the run; a test file that runs without the runner has one of its own, which ends with the file. */
function findCluster(): Promise<string> {
  const given = process.env[CLUSTER_VARIABLE];
  if (given) return Promise.resolve(given);
  ownCluster ??= startOwnCluster();
  return ownCluster;
}

async function startOwnCluster(): Promise<string> {
  const { default: tap } = await import('tap');
  const cluster = await startPostgres(tap);
  await createTemplate(cluster.url);
  return cluster.url;
}

function withDatabase(cluster: string, name: string): string {
  const url = new URL(cluster);
  url.pathname = `/${name}`;
  return url.href;
}

async function execute(
  url: string,
  statement: (sql: postgres.Sql) => PromiseLike<unknown>,
): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await statement(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Resolves when the standby has become the primary. */
export async function promote({ url }: Pick<TestPostgres, 'url'>): Promise<void> {
  const sql = openPostgres(url, 'test', 1, { isStandbyAllowed: true });
  await sql`select pg_promote()`;
  await sql.end({ timeout: 1 });
}
