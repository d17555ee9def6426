// The check at the start of every process: schema, number of partitions, ID_KEY.
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import {
  checkInstallation,
  isReplicatedSynchronously,
} from '#store/postgres/migration/installation.js';
import { createDatabase } from '#test/support/servers.js';

const ID_KEY = Buffer.alloc(32, 1);
const EXPECTED = { partitions: 8, idKey: ID_KEY };
const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 4);
t.teardown(() => sql.end());

t.test('concurrent first starts install once, and later starts agree', async (t) => {
  await Promise.all(Array.from({ length: 4 }, () => checkInstallation(sql, EXPECTED)));
  await checkInstallation(sql, EXPECTED);
  const rows = await sql`select id from partitions order by id`;
  t.strictSame(
    rows.map(({ id }) => id as number),
    [0, 1, 2, 3, 4, 5, 6, 7],
  );
});

t.test('another number of partitions or another key is refused by name', async (t) => {
  await t.rejects(checkInstallation(sql, { partitions: 16, idKey: ID_KEY }), /PARTITIONS is 16/);
  const other = { partitions: 8, idKey: Buffer.alloc(32, 2) };
  await t.rejects(checkInstallation(sql, other), /ID_KEY/);
  const [row] = await sql`select count(*)::int as count from partitions`;
  t.equal(row?.['count'], 8, 'and changes nothing');
});

t.test('a start on a database with unapplied files is refused with their names', async (t) => {
  await sql`delete from schema_files where name = 'schema/0014_erasures.sql'`;
  const message =
    /lacks store\/postgres\/schema\/0014_erasures\.sql, which this version \(\d+\.\d+\.\d+\) needs\. Run `npx kasir migrate`/;
  await t.rejects(checkInstallation(sql, EXPECTED), { name: 'SchemaError', message });
  await sql`insert into schema_files (name, checksum) values ('schema/0014_erasures.sql', '')`;
});

t.test('a start on a database of a newer version is allowed', async () => {
  await sql`insert into schema_files (name, checksum) values ('schema/9999_later.sql', '')`;
  await checkInstallation(sql, EXPECTED);
});

t.test('a start on an empty database is refused', async (t) => {
  await sql`create schema empty`;
  const url = new URL(databaseUrl);
  url.searchParams.set('search_path', 'empty');
  const empty = openPostgres(url.href, 'test', 1);
  t.teardown(() => empty.end());
  await t.rejects(checkInstallation(empty, EXPECTED), /lacks .*0001_installation\.sql/);
});

t.test('a start on a database of before 0.1.0 is refused with what to do', async (t) => {
  await sql`create table schema_migrations as select '0029_unknown_calls.sql' as name`;
  await t.rejects(checkInstallation(sql, EXPECTED), {
    name: 'SchemaError',
    message:
      /before version 0\.1\.0 .*0029_unknown_calls\.sql.*pg_dump.*empty database.*npx kasir migrate/,
  });
});

t.test('a commit waits for a standby only where one is named', async (t) => {
  t.notOk(await isReplicatedSynchronously(sql));
});
