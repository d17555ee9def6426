// Postgres roles and Redis users as ops/deploy sets them up, and processes that have no other rights.
import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { readBlocks } from '#test/gateway/docs/guide-blocks.js';
import {
  makeFolder,
  startPostgres,
  startRedis,
  type TestRedis,
  type TestScope,
} from './servers.js';
import { needProgram } from './suite/programs.js';

const DEPLOY = join(findPackageRoot(), 'ops/deploy');
const PASSWORD = 'password-of-the-tests';
export const USERS = ['gateway', 'payments', 'rails', 'webhooks'] as const;
export type User = (typeof USERS)[number];
export const ROLES = ['kasir_migration', 'kasir_process', 'kasir_reading'] as const;
export type Role = (typeof ROLES)[number];
/** The address of a database for each role. */
export type RoleUrls = Readonly<Record<Role, string>>;

/** Runs a file of ops/deploy as the user of `url`. */
export async function runDeployFile(url: string, name: string): Promise<void> {
  await withConnection(url, (sql) => sql.unsafe(readFileSync(join(DEPLOY, name), 'utf8')));
}

/** Makes the roles and gives them the database, as a superuser. */
export async function deployRoles(databaseUrl: string): Promise<RoleUrls> {
  await runDeployFile(databaseUrl, 'postgres-roles.sql');
  await withConnection(databaseUrl, async (sql) => {
    for (const role of ROLES) await sql.unsafe(`alter role ${role} password '${PASSWORD}'`);
  });
  const urlOf = (role: Role): string => nameUser(databaseUrl, role, PASSWORD);
  return {
    kasir_migration: urlOf('kasir_migration'),
    kasir_process: urlOf('kasir_process'),
    kasir_reading: urlOf('kasir_reading'),
  };
}

async function withConnection(
  url: string,
  work: (sql: Postgres) => PromiseLike<unknown>,
): Promise<void> {
  const sql = openPostgres(url, 'test', 1);
  await Promise.resolve(work(sql)).finally(() => sql.end({ timeout: 1 }));
}

/** The same server, with these credentials. */
export function nameUser(url: string, user: string, password: string): string {
  const named = new URL(url);
  named.username = user;
  named.password = encodeURIComponent(password);
  return named.href;
}

/** A Redis that begins with the users of ops/deploy. Its own address is that of operators. */
export async function startRedisWithUsers(
  t: TestScope,
  settings: readonly string[] = [],
): Promise<{ redis: TestRedis; urlOf: (user: User) => string }> {
  const file = join(makeFolder(t), 'users.acl');
  writeFileSync(file, await makeUsers(), { mode: 0o600 });
  const redis = await startRedis(t, {
    password: PASSWORD,
    settings: [`aclfile ${file}`, ...settings],
  });
  return { redis, urlOf: (user) => nameUser(redis.url, `kasir-${user}`, PASSWORD) };
}

/** A Redis whose users are those of a file that make-secrets.sh makes later, when the address of Redis is known. */
export async function startRedisForUsers(
  t: TestScope,
): Promise<{ redis: TestRedis; loadUsers: (file: string) => Promise<void> }> {
  const users = join(makeFolder(t), 'users.acl');
  writeFileSync(users, `user default on >${PASSWORD} ~* &* +@all\n`, { mode: 0o600 });
  const redis = await startRedis(t, { password: PASSWORD, settings: [`aclfile ${users}`] });
  return {
    redis,
    loadUsers: async (file) => {
      copyFileSync(file, users);
      const client = new Redis(redis.url);
      await client.call('acl', 'load');
      client.disconnect();
    },
  };
}

/** An empty database on a Postgres of Debian. The address is the superuser's. */
export async function startDebianPostgres(t: TestScope): Promise<string> {
  const native = dirname(dirname(needProgram('pg_ctl', 'postgresql')));
  const { url } = await startPostgres(t, { native });
  await withConnection(url, (sql) => sql.unsafe('create database kasir'));
  const database = new URL(url);
  database.pathname = '/kasir';
  return database.href;
}

/** The file of users, made by the commands of the page. All users of a test have one password. */
async function makeUsers(): Promise<string> {
  const block = readBlocks('docs/operations/roles.md').find(({ role }) => role === 'users');
  if (block === undefined) throw new Error('docs/operations/roles.md has no block "users"');
  const script = block.text.replace('> users.acl', '');
  const names = ['OPERATOR', ...USERS.map((user) => user.toUpperCase())];
  const passwords = Object.fromEntries(names.map((name) => [`${name}_PASSWORD`, PASSWORD]));
  const env = { PATH: process.env['PATH'], ...passwords };
  const options = { cwd: findPackageRoot(), env };
  return (await promisify(execFile)('sh', ['-eu', '-c', script], options)).stdout;
}
