// The servers that everything here runs on: private ones, with the settings of `npm start`, which are
// durable (fsync and synchronous_commit on, appendfsync everysec), on the disk of the checkout, and dropped
// at the end. The control and the service share them and have a database each.
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { launch, type Program, stopProgram } from '#ops/dev/launch/program.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { preparePostgres, type PostgresServer } from '#ops/dev/servers/postgres.js';
import { prepareRedis, type RedisServer } from '#ops/dev/servers/redis.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';

const START_MS = 30_000;
const MAX_CONNECTIONS = 200;
const WAL_SEGMENTS = 60;

export interface Servers {
  /** Where logs and other files of this run may go. */
  readonly folder: string;
  readonly redis: RedisServer;
  readonly postgres: PostgresServer;
  readonly pids: { readonly postgres: number; readonly redis: number };
  stop(): Promise<void>;
}

export async function startServers(): Promise<Servers> {
  const folder = join(findPackageRoot(), '.data', `bench-${randomBytes(4).toString('hex')}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const password = randomBytes(12).toString('hex');
  const redis = prepareRedis({
    folder: join(folder, 'redis'),
    port: await findFreePort(),
    password,
    output: join(folder, 'redis.log'),
  });
  const database = preparePostgres({
    base: folder,
    port: await findFreePort(),
    password,
    output: join(folder, 'postgres.log'),
    isDurable: true,
    maxConnections: MAX_CONNECTIONS,
  });
  const redisChild = launch(redis.program);
  const postgresChild = launch(database.program);
  await waitUntil('Redis answers', () => redis.isUp(), START_MS);
  await waitUntil('Postgres answers', () => database.isUp(), START_MS);
  await recycleWal(database.url('postgres'));
  return {
    folder,
    redis,
    postgres: database,
    pids: { postgres: postgresChild.pid ?? 0, redis: redisChild.pid ?? 0 },
    stop: async () => {
      await stopBoth([redisChild, redis.program], [postgresChild, database.program]);
      rmSync(database.folder, { recursive: true, force: true });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Leaves Postgres with segments of its log to write over, as one has that ran for a while: a new cluster makes
 * each of them first, which holds every commit of both sides up for 50 ms, once a second under load.
 */
async function recycleWal(url: string): Promise<void> {
  const sql = postgres(url, { max: 1 });
  for (let segment = 0; segment < WAL_SEGMENTS; segment += 1) {
    await sql`
      select count(pg_logical_emit_message(false, 'bench', repeat('x', 1048576)))
        from generate_series(1, 16)`;
  }
  await sql`checkpoint`;
  await sql.end();
}

type Running = [ChildProcess, Program];

async function stopBoth(...running: Running[]): Promise<void> {
  await Promise.all(running.map(([child, program]) => stopProgram(child, program)));
}

/** Makes an empty database and answers its address. */
export async function createDatabase(servers: Servers, name: string): Promise<string> {
  const sql = postgres(servers.postgres.url('postgres'), { max: 1 });
  await sql.unsafe(`create database ${name}`);
  await sql.end();
  return servers.postgres.url(name);
}
