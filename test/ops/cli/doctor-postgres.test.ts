// `kasir doctor` and Postgres: each fault of a real server is found.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { checkVersion } from '#ops/cli/doctor/postgres.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { runDoctor } from '#test/support/doctor.js';
import { TEST_KEYS } from '#test/support/processes.js';
import { createDatabase, makeFolder, startPostgres } from '#test/support/servers.js';

const MAX_CONNECTIONS = 20;
const RESERVED = 3;
const NO_REDIS = 'redis://127.0.0.1:1';

const durable = await startPostgres(t, { isDurable: true, maxConnections: MAX_CONNECTIONS });
const durableUrl = await durable.createDatabase('kasir');
const variables = { REDIS_URL: NO_REDIS, DATABASE_URL: durableUrl };

async function run<Result>(url: string, work: (sql: Postgres) => PromiseLike<Result>) {
  const sql = openPostgres(url, 'test', 1);
  return Promise.resolve(work(sql)).finally(() => sql.end({ timeout: 1 }));
}

await run(durableUrl, (sql) =>
  checkInstallation(sql, { partitions: 16, idKey: Buffer.from(TEST_KEYS.ID_KEY, 'base64') }),
);

t.test('a sound server and a sound database have no fault', async (t) => {
  const { findings } = await runDoctor({ ...variables, ID_KEY: TEST_KEYS.ID_KEY });
  const ofPostgres = findings.filter(({ check }) => check.startsWith('postgres.'));
  t.strictSame(
    ofPostgres.map(({ check, level }) => `${check} ${level}`),
    [
      ...['version', 'role', 'durability', 'replication', 'connections', 'clock'],
      ...['schema', 'functions', 'installation'],
    ].map((name) => `postgres.${name} ok`),
  );
});

t.test('a server that does not answer is a problem with its reason', async (t) => {
  const { code, find } = await runDoctor({
    ...variables,
    DATABASE_URL: 'postgres://localhost:1/x',
  });
  t.equal(code, 1);
  t.match(find('postgres.connection'), { level: 'problem', says: /ECONNREFUSED/ });
  t.match(find('redis.connection'), { level: 'problem' }, 'Redis is looked at all the same');
});

t.test('fsync and full_page_writes that are off are problems', async (t) => {
  const { code, find } = await runDoctor({ ...variables, DATABASE_URL: await createDatabase(t) });
  t.equal(code, 1);
  t.match(find('postgres.durability'), {
    level: 'problem',
    says: /^fsync and full_page_writes are off/,
    remedy: /to on/,
  });
});

t.test('a database that no migration has reached is a problem', async (t) => {
  const empty = new URL(durableUrl);
  empty.pathname = '/empty';
  await run(durable.url, (sql) => sql`create database empty`);
  const { code, find } = await runDoctor({ ...variables, DATABASE_URL: empty.href });
  t.equal(code, 1);
  t.match(find('postgres.schema'), {
    level: 'problem',
    says: /^The database lacks store\/postgres\/schema\/0001/,
    remedy: /kasir migrate/,
  });
  t.match(find('postgres.installation'), { level: 'warning', says: /not checked/ });
});

t.test('a schema file and functions of another version are warnings', async (t) => {
  const url = await createDatabase(t);
  await run(url, (sql) => sql`insert into schema_files values ('schema/9999_x.sql', 'x')`);
  await run(
    url,
    (sql) => sql`update schema_files set checksum = 'x' where name = 'functions/payments.sql'`,
  );
  const { find } = await runDoctor({ ...variables, DATABASE_URL: url });
  t.match(find('postgres.schema'), { level: 'warning', says: /9999_x/ });
  t.match(find('postgres.functions'), { level: 'warning', says: /^functions\/payments\.sql/ });
  t.match(find('postgres.installation'), { level: 'warning', says: /no process has started/ });
});

t.test('another ID_KEY and another number of partitions are problems', async (t) => {
  const other = Buffer.alloc(32, 8).toString('base64');
  const { code, find } = await runDoctor({ ...variables, ID_KEY: other });
  t.equal(code, 1);
  t.match(find('postgres.installation'), { level: 'problem', says: /^ID_KEY has the fingerprint/ });
  const fewer = await runDoctor({ ...variables, ID_KEY: TEST_KEYS.ID_KEY, PARTITIONS: '8' });
  t.match(fewer.find('postgres.installation'), { level: 'problem', says: /^PARTITIONS is 8/ });
});

t.test('connections that run out are a problem', async (t) => {
  const idle = openPostgres(durableUrl, 'test', MAX_CONNECTIONS - RESERVED - 1);
  t.teardown(() => idle.end({ timeout: 1 }));
  const wait = Array.from(
    { length: MAX_CONNECTIONS - RESERVED - 1 },
    () => idle`select pg_sleep(1)`,
  );
  await Promise.all(wait);
  const { find } = await runDoctor(variables);
  t.match(find('postgres.connections'), {
    level: 'problem',
    says: `${MAX_CONNECTIONS - RESERVED} of ${MAX_CONNECTIONS - RESERVED} connections are in use`,
  });
});

t.test('LIVE rails in production without a standby are a warning', async (t) => {
  const { find } = await runDoctor({
    ...variables,
    NODE_ENV: 'production',
    ALLOW_INSECURE: 'redis,postgres',
    BASE_URL: 'https://localhost:1',
    RAIL_XENDIT_URL: 'https://127.0.0.1:1',
  });
  t.match(find('postgres.replication'), { level: 'warning', remedy: /synchronous_standby_names/ });
});

t.test('a clock of this machine that is a minute behind is a problem', async (t) => {
  const file = join(makeFolder(t), 'clock.mjs');
  writeFileSync(file, 'const now = Date.now; Date.now = () => now() - 60_000;');
  const { find } = await runDoctor({ ...variables, NODE_OPTIONS: `--import=${file}` });
  t.match(find('postgres.clock'), {
    level: 'problem',
    says: /the clock of Postgres is (59|60)\d{3} ms ahead of/,
  });
});

t.test('a version before 15 is a problem', (t) => {
  const old = { versionNumber: 140_010, version: '14.10' };
  t.match(checkVersion(old), { level: 'problem', says: 'Postgres 14.10 is too old' });
  t.end();
});

t.test('a standby is a problem', async (t) => {
  await durable.stop();
  writeFileSync(join(durable.folder, 'standby.signal'), '');
  await durable.start();
  const { code, find } = await runDoctor(variables);
  t.equal(code, 1);
  t.match(find('postgres.connection'), { level: 'problem', says: /is a standby/ });
});
