// The servers of one start: the given address of Redis and of Postgres, or a private server under DATA_DIR on a free
// port. A restarted server keeps its port and data, so that clients reconnect by themselves.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '#ops/runtime/config.js';
import type { Program } from '../launch/program.js';
import type { Secrets } from '../launch/secrets.js';
import { waitUntil } from '../launch/wait-until.js';
import { findFreePort } from './ports.js';
import { ensureDatabase, preparePostgres } from './postgres.js';
import { prepareRedis } from './redis.js';

const UP_MS = 60_000;
const DATABASE = 'kasir';

export interface PrivateServers {
  readonly redisUrl: string;
  readonly databaseUrl: string;
}

export interface PrivateServerOptions {
  readonly config: Config;
  readonly dataDir: string;
  readonly secrets: Secrets;
  /** Starts the program and supervises it. */
  readonly run: (name: string, describe: () => Program) => void;
}

/** Resolves when both servers accept connections. Postgres starts first, so it stops last. */
export async function startPrivateServers(wishes: PrivateServerOptions): Promise<PrivateServers> {
  mkdirSync(join(wishes.dataDir, 'logs'), { recursive: true, mode: 0o700 });
  const databaseUrl = wishes.config.databaseUrl || (await startPostgres(wishes));
  const redisUrl = wishes.config.redisUrl || (await startRedis(wishes));
  return { redisUrl, databaseUrl };
}

async function startPostgres({ dataDir, secrets, run }: PrivateServerOptions): Promise<string> {
  const output = join(dataDir, 'logs', 'postgres.log');
  const server = preparePostgres({
    base: dataDir,
    port: await findFreePort(),
    password: secrets.postgresPassword,
    output,
    isDurable: true,
  });
  run('postgres', () => server.program);
  await waitUntil(`Postgres (see ${output}) answers`, () => server.isUp(), UP_MS);
  return ensureDatabase(server, DATABASE);
}

async function startRedis({ dataDir, secrets, run }: PrivateServerOptions): Promise<string> {
  const output = join(dataDir, 'logs', 'redis.log');
  const server = prepareRedis({
    folder: join(dataDir, 'redis'),
    port: await findFreePort(),
    password: secrets.redisPassword,
    output,
  });
  run('redis', () => server.program);
  await waitUntil(`Redis (see ${output}) answers`, () => server.isUp(), UP_MS);
  return server.url;
}
