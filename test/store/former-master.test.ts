// Which of two real Redis servers counts as the former master, while each replicates the other in turn.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { isFormerMaster, renewLease } from '#store/postgres/payments/partition-leases.js';
import { isReady, openRedis, readRunId, type RedisClient } from '#store/redis/client.js';
import { createDatabase, startRedis } from '../support/servers.js';

const LEASE_MS = 60_000;
const sql = openPostgres(await createDatabase(t), 'test', 2);
t.teardown(() => sql.end());

async function startServer() {
  const server = await startRedis(t);
  const redis = openRedis(server.url, () => {});
  t.teardown(() => {
    redis.disconnect();
  });
  await waitUntil('Redis is connected', () => isReady(redis));
  return { redis, port: server.port, password: new URL(server.url).password };
}

const [first, second] = [await startServer(), await startServer()];

/** Makes a server a replica of the other one. */
async function demote(one: typeof first, master: typeof first): Promise<void> {
  await one.redis.config('SET', 'masterauth', master.password);
  await one.redis.replicaof('127.0.0.1', master.port);
  await waitUntil('the replica follows', async () => {
    return /^master_link_status:up/m.test(await one.redis.info('replication'));
  });
}

/** A payments process has heard the server as the master. */
async function hear(redis: RedisClient): Promise<string> {
  const runId = (await readRunId(redis)) ?? '';
  await renewLease(sql, 'payments', LEASE_MS, {
    contact: { isReachable: true, forMs: 0, runId },
    readsVersion: 1,
  });
  return runId;
}

t.test('a master that was demoted and promoted again is no former master', async (t) => {
  const before = await hear(first.redis);
  await demote(second, first);
  await second.redis.replicaof('NO', 'ONE');
  const other = await hear(second.redis);
  t.equal(await isFormerMaster(sql, [before]), true, 'the first one, while it was not demoted');
  t.equal(await isFormerMaster(sql, [other]), false);
  await demote(first, second);
  await t.rejects(readRunId(first.redis), /is a slave; REDIS_URL must lead to a master/);
  await first.redis.replicaof('NO', 'ONE');
  const again = await hear(first.redis);
  t.equal(await isFormerMaster(sql, [again]), false, 'the first one, promoted again');
  t.equal(await isFormerMaster(sql, [other]), true);
});
