// One Patroni with its Postgres, both of Debian. Patroni starts Postgres beside itself, so that either can die alone.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync, chownSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildParentGuard } from '#ops/dev/launch/program.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { chooseAccount } from '#ops/dev/servers/postgres-account.js';
import { control, type Controlled } from '../controlled.js';
import { makeFolder, type TestScope } from '../servers.js';
import { needProgram } from '../suite/programs.js';

export const USER = 'kasir';
const SCOPE = 'kasir';
const STOP_MS = 60_000;
const ASK_MS = 2_000;
/** A standby that is behind by more is not promoted. */
const MAX_LAG_BYTES = 64 * 1024 * 1024;
/** Seconds, the shortest that Patroni takes. A leader that is gone is missed after `ttl`. */
export const TTL_S = 20;
const LOOP_WAIT_S = 5;
const RETRY_TIMEOUT_S = 5;

export interface MemberOptions {
  readonly name: string;
  readonly etcd: string;
  readonly password: string;
  readonly isSynchronous: boolean;
}

export interface Member extends Controlled {
  /** As Patroni calls it. */
  readonly member: string;
  readonly port: number;
  readonly restPort: number;
  /** Patroni's answer to GET: its status. 0: it does not answer. */
  ask(path: string): Promise<number>;
  /** kill -9 of Patroni, of Postgres, and of all its processes. */
  killAll(): Promise<void>;
  /** To the same processes. */
  signalAll(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

export async function prepareMember(t: TestScope, options: MemberOptions): Promise<Member> {
  const bin = dirname(needProgram('pg_controldata', 'postgresql'));
  const account = chooseAccount(dirname(bin), makeFolder(t));
  const ports = { port: await findFreePort(), restPort: await findFreePort() };
  const data = join(account.base, 'data');
  const file = join(account.base, 'patroni.yml');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(buildSettings(options, { ...ports, bin, data })), {
    mode: 0o600,
  });
  if (account.user) chownSync(file, account.user.uid, account.user.gid);
  const patroni = needProgram('patroni', 'patroni');
  const [command = patroni, ...args] = [
    ...account.prefix,
    ...buildParentGuard('SIGTERM'),
    ...[patroni, file],
  ];
  const ask = (path: string): Promise<number> =>
    fetch(`http://127.0.0.1:${ports.restPort}${path}`, {
      signal: AbortSignal.timeout(ASK_MS),
    }).then(
      ({ status }) => status,
      () => 0,
    );
  const running = control(
    {
      ...{ name: `patroni ${options.name}`, command, args, output: 'pipe', hasChannel: false },
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', PYTHONUNBUFFERED: '1' },
      ...(account.user ? { account: account.user } : {}),
      ...{ stopSignal: 'SIGTERM', stopMs: STOP_MS },
    },
    async () => (await ask('/health')) === 200,
  );
  t.teardown(async () => {
    signalServer(data, 'SIGCONT');
    await running.stop();
    signalServer(data, 'SIGKILL');
    rmSync(account.base, { recursive: true, force: true });
  });
  const killAll = async (): Promise<void> => {
    await running.kill();
    signalServer(data, 'SIGKILL');
  };
  const signalAll = (signal: 'SIGSTOP' | 'SIGCONT'): void => {
    running.signal(signal);
    signalServer(data, signal);
  };
  return { ...running, ...ports, member: options.name, ask, killAll, signalAll };
}

function signalServer(data: string, signal: NodeJS.Signals): void {
  const file = join(data, 'postmaster.pid');
  if (!existsSync(file)) return;
  const postmaster = Number(readFileSync(file, 'utf8').split('\n')[0]);
  const isPostmaster = (pid: number): boolean => readStat(pid)?.name === 'postgres';
  if (!isPostmaster(postmaster)) return;
  const children = readdirSync('/proc')
    .map(Number)
    .filter((pid) => readStat(pid)?.parent === postmaster);
  for (const pid of [postmaster, ...children]) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended already.
    }
  }
}

/** undefined: there is no such process. */
function readStat(pid: number): { readonly name: string; readonly parent: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, name = '', parent = ''] = /\((.*)\) \S (\d+)/.exec(text) ?? [];
    return { name, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

interface Places {
  readonly port: number;
  readonly restPort: number;
  readonly bin: string;
  readonly data: string;
}

/** As docs/operations/platforms/failover.md recommends, without what only a machine can have: a watchdog, disks that are waited for. */
function buildSettings(
  { name, etcd, password, isSynchronous }: MemberOptions,
  { port, restPort, bin, data }: Places,
) {
  const account = { username: USER, password };
  return {
    ...{ scope: SCOPE, name, log: { level: 'WARNING' }, etcd3: { host: etcd } },
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    bootstrap: {
      dcs: {
        ...{ ttl: TTL_S, loop_wait: LOOP_WAIT_S, retry_timeout: RETRY_TIMEOUT_S },
        ...{ synchronous_mode: isSynchronous, maximum_lag_on_failover: MAX_LAG_BYTES },
        postgresql: {
          use_pg_rewind: true,
          parameters: { wal_log_hints: 'on', max_connections: 200, wal_keep_size: '512MB' },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'no-sync'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      ...{ data_dir: data, bin_dir: bin, pgpass: `${data}.pgpass` },
      authentication: { superuser: account, replication: account, rewind: account },
      pg_hba: [
        'host all all 127.0.0.1/32 scram-sha-256',
        'host replication all 127.0.0.1/32 scram-sha-256',
      ],
      parameters: {
        ...{ unix_socket_directories: '', shared_buffers: '64MB', fsync: 'off' },
        ...{ password_encryption: 'scram-sha-256', log_min_messages: 'warning' },
      },
    },
  };
}
