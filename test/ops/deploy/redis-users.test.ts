// The users of ops/deploy: each kind of process sends its own commands to its own keys and channels, and nothing else.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { isReady, openRedis, type RedisClient, waitUntilReady } from '#store/redis/client.js';
import {
  API_LOGS_KEY,
  buildCommandsKey,
  buildReadyKey,
  buildRepliesChannel,
  CALLBACKS_KEY,
} from '#store/redis/keys.js';
import { startRedisWithUsers, USERS } from '#test/support/deployed.js';

const CONNECT_MS = 10_000;
const NOPERM = /NOPERM/;

const { redis, urlOf } = await startRedisWithUsers(t, ['enable-debug-command local']);

async function connect(t: Test, url: string): Promise<RedisClient> {
  const client = openRedis(url, () => {});
  t.teardown(() => {
    client.disconnect();
  });
  await waitUntilReady(client, CONNECT_MS);
  t.ok(isReady(client), 'the connection is ready');
  return client;
}

t.test(
  'connecting sends nothing that the user may not send, or that Redis does not know',
  async (t) => {
    const operator = await connect(t, redis.url);
    for (const user of USERS) await connect(t, urlOf(user));
    t.strictSame(await operator.call('ACL', 'LOG'), []);
    t.notMatch(await operator.info('errorstats'), /errorstat_(?!NOAUTH)/, 'no error was answered');
  },
);

t.test('a process finds the nodes of a cluster', async (t) => {
  const settings = ['cluster-enabled yes', `cluster-port ${await findFreePort()}`];
  const cluster = await startRedisWithUsers(t, [...settings, 'cluster-announce-ip 127.0.0.1']);
  const operator = await connect(t, cluster.redis.url);
  await operator.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
  for (const user of USERS) {
    const url = cluster.urlOf(user).replace('redis://', 'redis+cluster://').replace(/\/0?$/, '');
    const client = await connect(t, url);
    await waitUntil('the node answers', () => client.ping().then(() => true));
  }
  t.strictSame(await operator.call('ACL', 'LOG'), []);
});

t.test(
  'of the dangerous commands a process sends INFO, and payments ends its own waits',
  async (t) => {
    const operator = await connect(t, redis.url);
    const dangerous = (await operator.call('ACL', 'CAT', 'dangerous')) as string[];
    t.ok(
      dangerous.includes('flushall') && dangerous.includes('client|unblock'),
      'commands were listed',
    );
    for (const user of USERS) {
      const client = await connect(t, urlOf(user));
      for (const words of [
        ['FLUSHALL'],
        ['FLUSHDB'],
        ['CONFIG', 'GET', '*'],
        ['KEYS', '*'],
        ['DEBUG', 'SLEEP', '0'],
        ['ACL', 'WHOAMI'],
        ['CLIENT', 'KILL', 'TYPE', 'normal'],
        ['SCRIPT', 'FLUSH'],
        ['SHUTDOWN'],
        ['MONITOR'],
        ['SWAPDB', '0', '1'],
        ['REPLICAOF', 'NO', 'ONE'],
      ] as const) {
        const [name, ...rest] = words;
        await t.rejects(client.call(name, ...rest), NOPERM, `${user}: ${words.join(' ')}`);
      }
      const lines = (await operator.call('ACL', 'LIST')) as string[];
      const granted = lines.find((line) => line.startsWith(`user kasir-${user} `)) ?? '';
      const names = [...granted.matchAll(/\+([a-z|-]+)/g)].map(([, name = '']) => name);
      t.ok(names.length > 5, 'commands were read');
      t.strictSame(
        names.filter((name) => dangerous.includes(name)).sort(),
        user === 'payments' ? ['client|unblock', 'info'] : ['info'],
        user,
      );
    }
  },
);

/** A key and a channel of each purpose; a process uses some of them. */
const KEYS = {
  commands: buildCommandsKey(7),
  callbacks: CALLBACKS_KEY,
  logs: API_LOGS_KEY,
  ready: buildReadyKey(3),
  limits: '{limits}:one',
  leader: 'kasir:due-payments:leader',
  other: 'other',
} as const;
type KeyName = keyof typeof KEYS;

const READ: Record<(typeof USERS)[number], readonly KeyName[]> = {
  gateway: ['logs', 'limits'],
  payments: [],
  rails: ['limits', 'leader'],
  webhooks: ['logs'],
};

t.test('a process reads and deletes the values of its own keys only', async (t) => {
  for (const user of USERS) {
    const client = await connect(t, urlOf(user));
    for (const name of Object.keys(KEYS) as KeyName[]) {
      const title = `${user}: ${name}`;
      if (READ[user].includes(name)) t.equal(await client.get(KEYS[name]), null, title);
      else await t.rejects(client.get(KEYS[name]), NOPERM, title);
      if (user === 'rails' && READ.rails.includes(name)) continue;
      if (user === 'webhooks' && name === 'ready') continue;
      await t.rejects(client.del(KEYS[name]), NOPERM, title);
    }
  }
});

t.test('a gateway only appends commands and callbacks', async (t) => {
  const client = await connect(t, urlOf('gateway'));
  const { commands, callbacks } = KEYS;
  await client.xadd(commands, '*', 'f', '');
  await client.rpush(callbacks, 'one');
  await t.rejects(client.xrange(commands, '-', '+'), NOPERM);
  await t.rejects(client.set(commands, ''), NOPERM);
  await t.rejects(client.lrange(callbacks, 0, -1), NOPERM);
  await t.rejects(client.lpop(callbacks), NOPERM);
  await t.rejects(client.eval(`return redis.call('DEL', KEYS[1])`, 1, commands), NOPERM);
  await t.rejects(
    client.eval(`return redis.call('DEL', '${commands}')`, 0),
    /NOPERM|ACL failure|can't run/,
  );
});

t.test('a process reads and writes its own channels only', async (t) => {
  const replies = buildRepliesChannel('gw-1-abc');
  const allowed = {
    gateway: [replies, 'kasir:deliveries'],
    payments: [replies, 'kasir:events', 'kasir:rail-calls'],
    rails: [replies, 'kasir:rail-calls'],
    webhooks: ['kasir:events', 'kasir:deliveries'],
  };
  const channels = [...new Set(Object.values(allowed).flat()), 'other', '{other}:replies'];
  for (const user of USERS) {
    const client = await connect(t, urlOf(user));
    for (const channel of channels) {
      const used = user === 'gateway' ? client.subscribe(channel) : client.publish(channel, '');
      const title = `${user}: ${channel}`;
      if (allowed[user].includes(channel)) await t.resolves(used, title);
      else await t.rejects(used, NOPERM, title);
    }
  }
});

t.test('the file of the repository lets nobody in before passwords are written into it', (t) => {
  const file = readFileSync(join(findPackageRoot(), 'ops/deploy/redis-users.acl'), 'utf8');
  t.notMatch(file, /nopass|#[0-9a-f]{64}|>/);
  t.equal([...file.matchAll(/^user .* #[A-Z]+ /gm)].length, USERS.length + 1);
  t.end();
});
