// The private servers: durable settings, coming back on the same port, and every way to run Postgres.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Redis } from 'ioredis';
import postgres from 'postgres';
import t, { type Test } from 'tap';
import { findFreePort, isPortFree } from '#ops/dev/servers/ports.js';
import { preparePostgres } from '#ops/dev/servers/postgres.js';
import { prepareRedis } from '#ops/dev/servers/redis.js';
import type { AccountMode } from '#ops/dev/servers/postgres-account.js';
import { control } from '#test/support/controlled.js';
import { createDatabase, makeFolder, startPostgres, startRedis } from '#test/support/servers.js';

function openClient(t: Test, url: string): Redis {
  const redis = new Redis(url);
  redis.on('error', () => {});
  t.teardown(() => {
    redis.disconnect();
  });
  return redis;
}

t.test('the Redis of npm start has every write on the disk within a second', async (t) => {
  const port = await findFreePort();
  const folder = join(makeFolder(t), 'redis');
  const server = prepareRedis({ folder, port, password: 'secret', output: 'pipe' });
  const program = control(server.program, () => server.isUp());
  t.teardown(() => program.stop());
  await program.start();
  const redis = openClient(t, server.url);
  const settingOf = async (name: string) => (await redis.config('GET', name))[1];
  t.equal(await settingOf('appendonly'), 'yes');
  t.equal(await settingOf('appendfsync'), 'everysec');
  t.equal(await settingOf('maxmemory-policy'), 'noeviction');
});

t.test('Redis keeps what it answered, unless it is wiped', async (t) => {
  const server = await startRedis(t);
  const redis = openClient(t, server.url);
  await redis.set('a', '1');
  await server.restart();
  t.equal(await redis.get('a'), '1');
  await server.restart({ isWiped: true });
  t.equal(await redis.get('a'), null);
});

t.test('a Redis whose folder was removed under it starts again', async (t) => {
  const server = await startRedis(t);
  await server.kill();
  t.ok(await isPortFree(server.port));
  await server.restart({ isWiped: true });
  t.ok(server.isRunning());
});

t.test('each test has a migrated database of its own', async (t) => {
  const [first, second] = [await createDatabase(t), await createDatabase(t)];
  t.not(first, second);
  for (const url of [first, second]) {
    const sql = postgres(url, { max: 1 });
    await sql`insert into merchants (id, business_name) values ('mer_x', 'x')`;
    t.match(await sql`select count(*)::int as n from merchants`, [{ n: 1 }]);
    await sql.end();
  }
});

t.test('Postgres comes back on its port after kill -9', async (t) => {
  const server = await startPostgres(t);
  const url = await server.createDatabase('kept');
  const sql = postgres(url, { max: 1 });
  t.teardown(() => sql.end());
  await sql`insert into merchants (id, business_name) values ('mer_x', 'x')`;
  await server.kill();
  await server.start();
  const again = postgres(url, { max: 1 });
  t.match(await again`select id from merchants`, [{ id: 'mer_x' }]);
  await again.end();
});

const isRoot = process.getuid?.() === 0;
const hasNamespaces = spawnSync('unshare', ['--user', 'true']).status === 0;
const rootWays: AccountMode[] = hasNamespaces ? ['namespace', 'account'] : ['account'];
const ways: AccountMode[] = isRoot ? rootWays : ['plain'];
for (const way of ways) {
  t.test(`Postgres below a folder that only its owner can enter: ${way}`, async (t) => {
    const folder = makeFolder(t);
    mkdirSync(join(folder, 'closed'), { mode: 0o700 });
    const server = preparePostgres({
      base: join(folder, 'closed'),
      port: await findFreePort(),
      password: 'word',
      output: 'pipe',
      isDurable: true,
      mode: way,
    });
    t.teardown(() => {
      rmSync(dirname(server.folder), { recursive: true, force: true });
    });
    const cluster = control(server.program, () => server.isUp());
    t.teardown(() => cluster.stop());
    await cluster.start();
    const sql = postgres(server.url('postgres'), { max: 1 });
    const settings = await sql<{ name: string; setting: string }[]>`
      select name, setting from pg_settings
       where name in ('fsync', 'synchronous_commit', 'full_page_writes')`;
    await sql.end();
    t.same([...new Set(settings.map((row) => row.setting))], ['on']);
    await cluster.stop();
    t.equal(cluster.ended(), 0);
  });
}
