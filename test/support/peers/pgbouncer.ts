// PgBouncer in transaction mode before a Postgres of the test, with few sessions for many clients.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { isAnswering } from '#ops/dev/servers/postgres.js';
import { openPostgres } from '#store/postgres/client.js';
import { needProgram } from '../suite/programs.js';
import { control, type Controlled } from '../controlled.js';
import { makeFolder, type TestPostgres, type TestScope } from '../servers.js';

const HOST = '127.0.0.1';
/** Of each database; the processes of a test open more. */
export const SESSIONS = 8;
const STOP_MS = 10_000;

export interface TestPgbouncer extends Controlled {
  /** The address of a database of that server through PgBouncer. */
  through(databaseUrl: string): string;
}

/** How PgBouncer checks its clients. `any`: not at all. */
export const AUTH_TYPES = ['any', 'scram-sha-256'] as const;
type AuthType = (typeof AUTH_TYPES)[number];

/** Gives the role what sessions begin with, as docs/operations/postgres.md tells. */
export async function setRole({ url }: TestPostgres): Promise<void> {
  const sql = openPostgres(url, 'test', 1);
  await sql`alter role kasir set statement_timeout = '4000'`;
  await sql`alter role kasir set plan_cache_mode = 'force_generic_plan'`;
  await sql.end({ timeout: 1 });
}

/** `postgresUrl`: an address of the server; all clients get the role that it names. It ends with the test. */
export async function startPgbouncer(
  t: TestScope,
  postgresUrl: string,
  authType: AuthType = 'any',
): Promise<TestPgbouncer> {
  const { port: serverPort, username, password: encoded } = new URL(postgresUrl);
  const password = decodeURIComponent(encoded);
  const port = await findFreePort();
  const folder = makeFolder(t);
  const [file, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'users.txt')];
  const settings = [
    '[databases]',
    `* = host=${HOST} port=${serverPort} user=${username} password=${password}`,
    '[pgbouncer]',
    ...[`listen_addr = ${HOST}`, `listen_port = ${port}`, 'unix_socket_dir ='],
    ...[
      `auth_type = ${authType}`,
      `auth_file = ${users}`,
      'pool_mode = transaction',
      'max_client_conn = 500',
    ],
    ...[`default_pool_size = ${SESSIONS}`, 'server_login_retry = 1'],
  ];
  writeFileSync(file, `${settings.join('\n')}\n`, { mode: 0o600 });
  writeFileSync(users, `"${username}" "${password}"\n`);
  const through = (databaseUrl: string): string => {
    const url = new URL(databaseUrl);
    url.port = String(port);
    url.searchParams.set('pooling', 'transaction');
    return url.href;
  };
  const program = {
    ...{ name: 'pgbouncer', command: needProgram('pgbouncer', 'pgbouncer') },
    // It refuses to run as root.
    args: [...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), file],
    ...{ env: { PATH: process.env['PATH'] }, output: 'pipe', hasChannel: false },
    ...{ stopSignal: 'SIGTERM' as const, stopMs: STOP_MS },
  };
  const pgbouncer = control(program, () => isAnswering(through(postgresUrl)));
  t.teardown(() => pgbouncer.stop());
  await pgbouncer.start();
  return { ...pgbouncer, through };
}
