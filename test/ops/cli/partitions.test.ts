// `kasir partitions list`: owners, and partitions that make no progress.
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { openRedis, waitUntilReady } from '#store/redis/client.js';
import { buildCommandsKey } from '#store/redis/keys.js';
import { runKasir } from '#test/support/kasir.js';
import { startService } from '#test/support/processes.js';
import { createDatabase, startRedis } from '#test/support/servers.js';

const PARTITIONS = 4;
const CONNECT_MS = 10_000;
const MINUTE_MS = 60_000;

t.test('partitions whose owner lives and that have no backlog are ok', async (t) => {
  const { variables } = await startService(t);
  const addresses = {
    ...{ DATABASE_URL: variables['DATABASE_URL'] ?? '', REDIS_URL: variables['REDIS_URL'] ?? '' },
  };
  const { code, stdout } = await runKasir(addresses, 'partitions', 'list');
  t.equal(code, 0, stdout);
  const lines = stdout.trim().split('\n');
  t.equal(lines.length, 16);
  for (const line of lines) {
    t.match(line, /^p\d\d {2}ok {2}payments-\S+ {2}epoch \d+ {2}at \d+-\d+ {2}0 frame\(s\) wait/);
  }
});

t.test('a partition without an owner, a stopped one and a stuck one are problems', async (t) => {
  const databaseUrl = await createDatabase(t);
  const server = await startRedis(t);
  const sql = openPostgres(databaseUrl, 'test', 1);
  const redis = openRedis(server.url, () => {});
  t.teardown(async () => {
    redis.disconnect();
    await sql.end({ timeout: 1 });
  });
  await waitUntilReady(redis, CONNECT_MS);
  await checkInstallation(sql, { partitions: PARTITIONS, idKey: Buffer.alloc(32, 7) });
  await sql`insert into payments_processes (name, lease_until) values ('payments-1', now() + interval '1 hour')`;
  await sql`update partitions set owner = 'payments-1', epoch = 7 where id < 2`;
  await sql`update partitions set stopped_version = 2, stopped_at = now() where id = 2`;
  const sinceMs = Date.now() - MINUTE_MS;
  for (const seq of [0, 1]) await redis.xadd(buildCommandsKey(1), `${sinceMs}-${seq}`, 'e', '');
  const addresses = { DATABASE_URL: databaseUrl, REDIS_URL: server.url };
  const { code, stdout } = await runKasir(addresses, 'partitions', 'list', '--json');
  t.equal(code, 1);
  const rows = JSON.parse(stdout) as { frames: number; oldestMs: number }[];
  t.match(rows, [
    { partition: 0, owner: 'payments-1', epoch: '7', frames: 0, oldestMs: 0, state: 'ok' },
    { partition: 1, owner: 'payments-1', frames: 2, state: 'stuck' },
    { partition: 2, owner: null, state: 'waits for a newer version' },
    { partition: 3, owner: null, position: '0-1', frames: 0, state: 'no owner' },
  ]);
  t.ok((rows[1]?.oldestMs ?? 0) >= MINUTE_MS);

  const alone = { ...addresses, REDIS_URL: 'redis://127.0.0.1:1' };
  const shown = await runKasir(alone, 'partitions', 'list');
  t.match(shown.stderr, /frames that wait are not shown: cannot connect to Redis/);
  t.match(shown.stdout, /^p01 {2}ok {2}payments-1 {2}epoch 7 {2}at 0-1 {2}frames unknown$/m);
});
