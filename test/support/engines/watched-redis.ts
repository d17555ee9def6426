// A real master, its replica, and three Sentinels that watch them. The replica takes over when the master dies.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { prepareRedis } from '#ops/dev/servers/redis.js';
import { findRedis } from '#ops/dev/setup/redis-binary.mjs';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { control, type Controlled } from '../controlled.js';
import { makeFolder, type TestScope } from '../servers.js';

const MASTER = 'kasir';
const SENTINELS = 3;
const SENTINEL_USER = 'sentinel';
const QUORUM = 2;
const DOWN_AFTER_MS = 1_000;
const FAILOVER_MS = 10_000;
const PAUSE_MS = 10_000;

export interface WatchedRedis {
  /** As REDIS_URL has it. */
  readonly url: string;
  readonly servers: ReadonlyMap<number, Controlled>;
  /** The port of whoever Sentinel says is master. */
  readonly findMaster: () => Promise<number>;
  /** Resolves when another than `former` is. */
  readonly waitForOther: (former: number) => Promise<number>;
  /** The address of one server, past the Sentinels. */
  readonly urlOf: (port: number) => string;
  /** Lets the Sentinels lose sight of the master, which keeps its clients: the replica becomes another master. */
  readonly hide: (master: number) => Promise<number>;
  /** Makes the replica master, while both run. */
  readonly stepDown: (former: number) => Promise<number>;
  /** As `stepDown`, after a pause of all writes. */
  readonly switchOver: (former: number) => Promise<number>;
}

export async function startWatchedRedis(t: TestScope): Promise<WatchedRedis> {
  const folder = makeFolder(t);
  const password = randomBytes(12).toString('hex');
  const [first, second] = [await findFreePort(), await findFreePort()];
  const servers = new Map<number, Controlled>();
  for (const [port, settings] of [
    [first, []],
    [second, [`replicaof 127.0.0.1 ${first}`]],
  ] as const) {
    const server = prepareRedis({
      ...{ folder: join(folder, `redis-${port}`), port, password, output: 'pipe' },
      settings: [
        ...[`masterauth ${password}`, 'repl-diskless-sync-delay 0', ...settings],
        `user ${SENTINEL_USER} on >${password} ~* &* +@all`,
      ],
    });
    const running = control(server.program, () => server.isUp());
    t.teardown(() => running.stop());
    await running.start();
    servers.set(port, running);
  }
  const ports = await startSentinels(t, folder, { master: first, password });
  const asking = new Redis(ports[0] ?? 0, { maxRetriesPerRequest: 0 });
  asking.on('error', () => {});
  t.teardown(() => {
    asking.disconnect();
  });
  const findMaster = async (): Promise<number> => {
    const answer = (await asking.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER)) as string[];
    return Number(answer[1]);
  };
  await waitUntil('the Sentinels know all', async () => {
    const answer = (await asking.call('SENTINEL', 'MASTER', MASTER)) as string[];
    const knows = (field: string): number => Number(answer[answer.indexOf(field) + 1]);
    return knows('num-slaves') === 1 && knows('num-other-sentinels') === SENTINELS - 1;
  });
  const urlOf = (port: number): string => `redis://:${password}@127.0.0.1:${port}`;
  const waitForOther = (former: number): Promise<number> =>
    waitUntil('another is master', async () => {
      const master = await findMaster();
      return master === former ? null : master;
    });
  const stepDown = async (former: number): Promise<number> => {
    await waitUntil('the replica is good enough', () =>
      asking.call('SENTINEL', 'FAILOVER', MASTER),
    );
    return waitForOther(former);
  };
  return {
    url: `redis+sentinel://:${password}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${MASTER}`,
    ...{ servers, findMaster, waitForOther, urlOf },
    hide: async (master) => {
      const redis = new Redis(urlOf(master));
      await redis.call('ACL', 'SETUSER', SENTINEL_USER, 'off');
      await redis.call('CLIENT', 'KILL', 'USER', SENTINEL_USER);
      redis.disconnect();
      return waitForOther(master);
    },
    stepDown,
    switchOver: async (former) => {
      const redis = new Redis(urlOf(former));
      await redis.call('CLIENT', 'PAUSE', PAUSE_MS, 'WRITE');
      redis.disconnect();
      return stepDown(former);
    },
  };
}

async function startSentinels(
  t: TestScope,
  folder: string,
  watched: { master: number; password: string },
): Promise<number[]> {
  const ports: number[] = [];
  for (let index = 0; index < SENTINELS; index += 1) {
    const port = await findFreePort();
    const sentinel = describeSentinel(join(folder, `sentinel-${index}.conf`), port, watched);
    t.teardown(() => sentinel.stop());
    await sentinel.start();
    ports.push(port);
  }
  return ports;
}

function describeSentinel(
  file: string,
  port: number,
  { master, password }: { master: number; password: string },
): Controlled {
  const lines = [
    'bind 127.0.0.1',
    `port ${port}`,
    'save ""',
    `sentinel monitor ${MASTER} 127.0.0.1 ${master} ${QUORUM}`,
    `sentinel auth-user ${MASTER} ${SENTINEL_USER}`,
    `sentinel auth-pass ${MASTER} ${password}`,
    `sentinel down-after-milliseconds ${MASTER} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${MASTER} ${FAILOVER_MS}`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  const asking = { port, host: '127.0.0.1', lazyConnect: true, maxRetriesPerRequest: 0 } as const;
  return control(
    {
      name: `sentinel ${port}`,
      command: findRedis() ?? 'redis-server',
      args: [file, '--sentinel'],
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
      output: 'pipe',
      hasChannel: false,
      stopSignal: 'SIGTERM',
      stopMs: 5_000,
    },
    async () => {
      const redis = new Redis({ ...asking, retryStrategy: () => null });
      redis.on('error', () => {});
      try {
        return (await redis.ping()) === 'PONG';
      } catch {
        return false;
      } finally {
        redis.disconnect();
      }
    },
  );
}
