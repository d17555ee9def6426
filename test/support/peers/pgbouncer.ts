// PgBouncer in transaction mode before a Postgres of the test, with few sessions for many clients.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { isAnswering } from '#ops/dev/servers/postgres.js';
import { needProgram } from '../suite/programs.js';
import { control, type Controlled } from '../controlled.js';
import { makeFolder, type TestScope } from '../servers.js';

const HOST = '127.0.0.1';
/** Of each database; the processes of a test open more. */
export const SESSIONS = 8;
const STOP_MS = 10_000;

export interface TestPgbouncer extends Controlled {
  /** The address of a database of that server through PgBouncer. */
  through(databaseUrl: string): string;
}

/** `postgresUrl`: an address of the server; all clients get the role that it names. It ends with the test. */
export async function startPgbouncer(t: TestScope, postgresUrl: string): Promise<TestPgbouncer> {
  const { port: serverPort, username, password } = new URL(postgresUrl);
  const port = await findFreePort();
  const file = join(makeFolder(t), 'pgbouncer.ini');
  const settings = [
    '[databases]',
    `* = host=${HOST} port=${serverPort} user=${username} password=${decodeURIComponent(password)}`,
    '[pgbouncer]',
    ...[`listen_addr = ${HOST}`, `listen_port = ${port}`, 'unix_socket_dir ='],
    ...['auth_type = any', 'pool_mode = transaction', 'max_client_conn = 500'],
    ...[`default_pool_size = ${SESSIONS}`, 'server_login_retry = 1'],
  ];
  writeFileSync(file, `${settings.join('\n')}\n`, { mode: 0o600 });
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
