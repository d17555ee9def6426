// What an installation is fixed to, and the schema that everything stands on.
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/installation.js';
import { migrate } from '#store/postgres/migrate.js';
import { createDatabase } from '../support/servers.js';

const ID_KEY = Buffer.alloc(32, 1);
const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 4);
t.teardown(() => sql.end());

t.test('the first processes install, all at once, and later ones agree', async (t) => {
  const wanted = { partitions: 8, idKey: ID_KEY };
  await Promise.all(Array.from({ length: 4 }, () => checkInstallation(sql, wanted)));
  await checkInstallation(sql, wanted);
  const rows = await sql`select id from partitions order by id`;
  t.strictSame(
    rows.map(({ id }) => id as number),
    [0, 1, 2, 3, 4, 5, 6, 7],
  );
});

t.test('another number of partitions, or another key, is refused by name', async (t) => {
  await t.rejects(checkInstallation(sql, { partitions: 16, idKey: ID_KEY }), /PARTITIONS is 16/);
  const other = { partitions: 8, idKey: Buffer.alloc(32, 2) };
  await t.rejects(checkInstallation(sql, other), /ID_KEY/);
  const [row] = await sql`select count(*)::int as count from partitions`;
  t.equal(row?.['count'], 8, 'and changes nothing');
});

t.test('a second migration finds nothing to do', async (t) => {
  t.strictSame(await migrate(databaseUrl), []);
});

t.test('migrations that start together are applied once', async (t) => {
  await sql`create schema other`;
  const elsewhere = new URL(databaseUrl);
  elsewhere.searchParams.set('search_path', 'other');
  const applied = await Promise.all([migrate(elsewhere.href), migrate(elsewhere.href)]);
  t.strictSame(applied.map((names) => names.length > 0).sort(), [false, true]);
});
