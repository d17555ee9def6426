// `kasir doctor` and Redis: each fault of a real server is found.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import t from 'tap';
import { checkVersion } from '#ops/cli/doctor/redis.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { openRedis, waitUntilReady } from '#store/redis/client.js';
import { runDoctor } from '#test/support/doctor.js';
import { createDatabase, makeFolder, startRedis } from '#test/support/servers.js';

const CONNECT_MS = 10_000;
const databaseUrl = await createDatabase(t);
const look = (redisUrl: string, more: Readonly<Record<string, string>> = {}) =>
  runDoctor({ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, ...more });

t.test('a sound server has no fault', async (t) => {
  const redis = await startRedis(t, { settings: ['appendfsync everysec'] });
  const { findings } = await look(redis.url);
  const ofRedis = findings.filter(({ check }) => check.startsWith('redis.'));
  t.strictSame(
    ofRedis.map(({ check, level }) => `${check} ${level}`),
    ['version', 'role', 'persistence', 'fsync', 'eviction', 'memory', 'clock'].map(
      (name) => `redis.${name} ok`,
    ),
  );
});

t.test('a server that does not answer is a problem, and Postgres is looked at', async (t) => {
  const { code, find } = await look('redis://127.0.0.1:1');
  t.equal(code, 1);
  t.match(find('redis.connection'), { level: 'problem', says: /cannot connect to Redis/ });
  t.match(find('postgres.schema'), { level: 'ok' });
});

t.test('settings that lose data are problems, each with its remedy', async (t) => {
  const redis = await startRedis(t, {
    settings: ['appendonly no', 'maxmemory-policy allkeys-lru', 'maxmemory 0'],
  });
  const { code, find } = await look(redis.url);
  t.equal(code, 1);
  t.match(find('redis.persistence'), { level: 'problem', remedy: /appendonly yes/ });
  t.match(find('redis.eviction'), { level: 'problem', remedy: /noeviction/ });
  t.match(find('redis.memory'), { level: 'warning', says: /maxmemory is not set/ });
  t.match(find('redis.fsync'), { level: 'warning', remedy: /everysec/ });
});

t.test('memory that is nearly used up is a problem', async (t) => {
  const redis = await startRedis(t);
  const client = openRedis(redis.url, () => {});
  t.teardown(() => {
    client.disconnect();
  });
  await waitUntilReady(client, CONNECT_MS);
  const used = Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]);
  await client.config('SET', 'maxmemory', Math.round(used * 1.25));
  const { find } = await look(redis.url);
  t.match(find('redis.memory'), { level: 'problem', says: /gateways reject commands/ });
});

t.test('a replica is a problem', async (t) => {
  const password = 'one-password-for-both';
  const master = await startRedis(t, { password });
  const replica = await startRedis(t, {
    password,
    settings: [`replicaof 127.0.0.1 ${master.port}`, `masterauth ${password}`],
  });
  const { code, find } = await look(replica.url);
  t.equal(code, 1);
  t.match(find('redis.role'), { level: 'problem', says: /is a slave/ });
});

t.test('each master of a cluster is looked at', async (t) => {
  const redis = await startRedis(t, {
    settings: [
      ...['cluster-enabled yes', `cluster-port ${await findFreePort()}`],
      ...['cluster-announce-ip 127.0.0.1', 'appendonly no'],
    ],
  });
  const node = new Redis(redis.url);
  t.teardown(() => {
    node.disconnect();
  });
  await node.cluster('ADDSLOTSRANGE', 0, 16_383);
  await waitUntil('the cluster is up', async () => {
    return (await node.cluster('INFO')).includes('cluster_state:ok');
  });
  const { find } = await look(
    redis.url.replace('redis://', 'redis+cluster://').replace(/\/0$/, ''),
  );
  const place = `redis.127.0.0.1:${redis.port}`;
  t.match(find(`${place}.role`), { level: 'ok' });
  t.match(find(`${place}.persistence`), { level: 'problem', remedy: /appendonly yes/ });
});

t.test('the Redis of the webhook queues is looked at as well', async (t) => {
  const redis = await startRedis(t);
  const queues = await startRedis(t, { settings: ['appendonly no'] });
  const { find } = await look(redis.url, { REDIS_URL_WEBHOOKS: queues.url });
  t.match(find('redis.persistence'), { level: 'ok' });
  t.match(find('redis-webhooks.persistence'), { level: 'problem' });
  t.match(find('webhooks.processes'), { level: 'problem' });
});

t.test('a clock of this machine that is a minute ahead is a problem', async (t) => {
  const redis = await startRedis(t);
  const file = join(makeFolder(t), 'clock.mjs');
  writeFileSync(file, 'const now = Date.now; Date.now = () => now() + 60_000;');
  const { find } = await look(redis.url, { NODE_OPTIONS: `--import=${file}` });
  t.match(find('redis.clock'), {
    level: 'problem',
    says: /the clock of Redis is (?:59|60)\d{3} ms behind/,
  });
});

t.test('a version before 7 is a problem', (t) => {
  const info = (name: string) => (name === 'redis_version' ? '6.2.14' : undefined);
  t.match(checkVersion('redis.version', info), { level: 'problem', says: /6\.2\.14 is too old/ });
  t.end();
});
