// `kasir partitions split`: what it refuses, what it prints, and that the processes follow it.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { openRedis, waitUntilReady } from '#store/redis/client.js';
import { buildCommandsKey } from '#store/redis/keys.js';
import { AS_TERMINAL, runKasir } from '#test/support/kasir.js';
import { readMetrics, startService } from '#test/support/processes.js';
import { createDatabase, startRedis } from '#test/support/servers.js';

const PARTITIONS = 4;
const CONNECT_MS = 10_000;

t.test('running processes go on with the new number', async (t) => {
  const { variables, payments } = await startService(t, { payments: 2 });
  const addresses = {
    ...{ DATABASE_URL: variables['DATABASE_URL'] ?? '', REDIS_URL: variables['REDIS_URL'] ?? '' },
  };
  const shown = await runKasir(addresses, 'partitions', 'split', '64', '--dry-run');
  t.match(shown, { code: 0, stdout: 'would split 16 partitions into 64\n' });
  const listed = await runKasir(addresses, 'partitions', 'list', '--json');
  t.equal((JSON.parse(listed.stdout) as unknown[]).length, 16, 'and changes nothing');
  const { code, stdout } = await runKasir(addresses, 'partitions', 'split', '64', '--json');
  t.equal(code, 0);
  t.strictSame(JSON.parse(stdout), { from: 16, to: 64, owned: 64, processes: 2 });
  await waitUntil('both own half of them, and say so', async () => {
    const pages = await Promise.all(payments.map(readMetrics));
    return pages.every(
      (page) => /^kasir_partitions_owned 32$/m.test(page) && /^kasir_partitions 64$/m.test(page),
    );
  });
  const doctor = await runKasir(addresses, 'doctor');
  t.match(doctor.stdout, /the installation has 64 partitions, 16 before a split/);
});

t.test('a number that is not allowed is refused with those that are', async (t) => {
  const databaseUrl = await createDatabase(t);
  const server = await startRedis(t);
  const addresses = { DATABASE_URL: databaseUrl, REDIS_URL: server.url };
  const split = (...words: readonly string[]) =>
    runKasir(addresses, 'partitions', 'split', ...words, '--wait', '0');
  t.match(await split('8'), { code: 1, stderr: /no process has started on this database yet/ });
  const sql = openPostgres(databaseUrl, 'test', 1);
  const redis = openRedis(server.url, () => {});
  t.teardown(async () => {
    redis.disconnect();
    await sql.end({ timeout: 1 });
  });
  await waitUntilReady(redis, CONNECT_MS);
  await checkInstallation(sql, { partitions: PARTITIONS, idKey: Buffer.alloc(32, 7) });
  for (const count of ['6', '2']) {
    const refused = await split(count);
    t.match(refused, {
      code: 1,
      stderr: /has 4 partitions, and \d is no multiple of them; .* 8, 16, 32, 64, 256/,
    });
  }
  t.equal((await split('many')).code, 2);
  t.equal((await split('2048')).code, 2);
  await sql`insert into payments_processes (name, lease_until) values ('payments-old', now())`;
  t.match(await split('8'), { code: 1, stderr: /earlier version live, .*payments-old/ });
  await sql`delete from payments_processes`;
  const away = { ...addresses, REDIS_URL: 'redis://127.0.0.1:1' };
  const failed = await runKasir(away, 'partitions', 'split', '8');
  t.match(failed, { code: 1, stderr: /cannot connect to Redis/ });
  const [row] = await sql`select partitions from installation`;
  t.equal(row?.['partitions'], PARTITIONS, 'nothing was changed');

  const shown = await runKasir(
    { ...addresses, ...AS_TERMINAL },
    ...['partitions', 'split', '4', '--wait', '1'],
  );
  t.match(shown.stderr, /\] partitions with an owner: 0 of 4/, 'a terminal shows the wait');
  const done = await split('8');
  t.match(done, { code: 1, stdout: /split 4 partitions into 8; 0 payments process\(es\) own 0/ });
  t.match(done.stderr, /no owner yet/);
  t.equal(await redis.exists(buildCommandsKey(7)), 1, 'a stream waits for commands');
  await redis.del(buildCommandsKey(7));
  t.match(await split('8'), { stdout: /has 8 partitions already/ }, 'a repeat repairs');
  t.equal(await redis.exists(buildCommandsKey(7)), 1);
});
