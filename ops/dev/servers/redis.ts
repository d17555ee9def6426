// A private Redis (or Valkey): loopback only, with a password, every write in its file before its answer and on the disk within
// a second (docs/decisions/0001-postgres-is-the-truth.md).
import { connect } from 'node:net';
import { mkdirSync, writeFileSync } from 'node:fs';
import { buildParentGuard, type Program } from '../launch/program.js';
import { findRedis } from '../setup/redis-binary.mjs';
import { inheritEnvironment } from '#ops/runtime/config.js';

const STOP_MS = 15_000;
const PING_MS = 2_000;
const DEFAULT_MAX_MEMORY = '1gb';

export interface RedisOptions {
  /** The data folder, created if it is missing. The configuration is beside it. */
  readonly folder: string;
  readonly port: number;
  readonly password: string;
  readonly maxMemory?: string;
  readonly output: string;
  /** Additional lines of the configuration. */
  readonly settings?: readonly string[];
}

export interface RedisServer {
  readonly program: Program;
  readonly url: string;
  isUp(): Promise<boolean>;
}

/** Describes the program; starts nothing. */
export function prepareRedis(options: RedisOptions): RedisServer {
  const binary = findRedis();
  if (binary === null) throw new Error('redis-server or valkey-server 7.0 or newer was not found');
  const { folder, port, password } = options;
  const file = `${folder}.conf`;
  const lines = [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `dir ${JSON.stringify(folder)}`,
    'appendonly yes',
    'appendfsync everysec',
    'save ""',
    'maxmemory-policy noeviction',
    `maxmemory ${options.maxMemory ?? DEFAULT_MAX_MEMORY}`,
    'daemonize no',
    ...(options.settings ?? []),
  ];
  const [command = binary, ...args] = [...buildParentGuard('SIGTERM'), binary, file];
  return {
    program: {
      name: 'redis',
      prepare: () => {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
      },
      command,
      args,
      env: { PATH: inheritEnvironment()['PATH'], LC_ALL: 'C' },
      output: options.output,
      hasChannel: false,
      stopSignal: 'SIGTERM',
      stopMs: STOP_MS,
    },
    url: `redis://:${password}@127.0.0.1:${port}/0`,
    isUp: () => ping(port, password),
  };
}

/** Sends PING over a plain socket: true when it answers, false while it loads its data or is down. */
function ping(port: number, password: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let answer = '';
    const finish = (isUp: boolean): void => {
      socket.destroy();
      resolve(isUp);
    };
    socket.setTimeout(PING_MS, () => {
      finish(false);
    });
    socket.on('error', () => {
      finish(false);
    });
    socket.on('connect', () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (answer.split('\r\n').length > 2) finish(answer.startsWith('+OK\r\n+PONG'));
    });
    socket.on('close', () => {
      finish(false);
    });
  });
}
