// A migration needs tables that others use: processes, a dump, a report.
import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { applyFiles } from '#store/postgres/migration/migrate.js';
import type { SqlFile } from '#store/postgres/migration/schema-files.js';
import type { Progress } from '#store/postgres/progress.js';
import { createDatabase } from '#test/support/servers.js';
import { countLockWaits } from '#test/support/waits/lock-waits.js';

const writeFile = (name: string, text: string): SqlFile => ({
  name: `schema/${name}`,
  text,
  checksum: createHash('sha256').update(text).digest('hex'),
});

const TABLES = writeFile('0001_tables.sql', 'create table notes (text text)');
const CHANGE = writeFile('0002_times.sql', 'alter table notes add column at timestamptz');

/** An empty schema stands for an empty database. */
async function migrateFirst(t: Test): Promise<{ sql: Postgres; open: (name: string) => Postgres }> {
  const url = new URL(await createDatabase(t));
  const open = (name: string): Postgres => {
    const sql = openPostgres(url.href, name, 2);
    t.teardown(() => sql.end());
    return sql;
  };
  await open('schema')`create schema empty`;
  url.searchParams.set('search_path', 'empty');
  const sql = open('migrate');
  await applyFiles(sql, { schema: [TABLES], functions: [] });
  return { sql, open };
}

/** Reads the table in a transaction that stays open, as a dump does, until the function that it returns is called. */
function readSlowly(sql: Postgres): Promise<() => Promise<unknown>> {
  return new Promise((onRead, onFault) => {
    const reading = sql.begin(async (tx) => {
      await tx`select from notes`;
      await new Promise<void>((end) => {
        onRead(() => {
          end();
          return reading;
        });
      });
    });
    reading.catch(onFault);
  });
}

const listColumns = async (sql: Postgres): Promise<unknown[]> => {
  const rows = await sql`
    select column_name as name from information_schema.columns where table_name = 'notes' order by 1`;
  return rows.map(({ name }) => name as unknown);
};

t.test('statements go on while a migration waits for a transaction, and it ends', async (t) => {
  const { sql, open } = await migrateFirst(t);
  const endReading = await readSlowly(open('dump'));
  const told: Progress[] = [];
  const schema = [TABLES, CHANGE];
  const migrating = applyFiles(sql, { schema, functions: [] }, (progress) => told.push(progress), {
    count: 1_000,
    pauseMs: 100,
  });
  const others = open('others');
  await waitUntil('the migration waits', async () => (await countLockWaits(others)) > 0);
  await others`insert into notes values ('written behind the migration')`;
  t.strictSame(await listColumns(others), ['text'], 'the migration has not ended');
  const tellsHolder = ({ step }: Progress): boolean =>
    /^waiting for the end of kasir dump \(process \d+ of Postgres\)$/.test(step);
  await waitUntil('the operator is told', () => told.some(tellsHolder));
  await endReading();
  t.strictSame(await migrating, ['schema/0002_times.sql']);
  t.strictSame(await listColumns(others), ['at', 'text']);
});

t.test('a migration that gives up names who holds the lock, and changes nothing', async (t) => {
  const { sql, open } = await migrateFirst(t);
  const endReading = await readSlowly(open('dump'));
  const first = writeFile('0002_first.sql', 'create table first (text text)');
  const schema = [TABLES, first, writeFile('0003_times.sql', CHANGE.text)];
  const attempts = { count: 2, pauseMs: 0 };
  await t.rejects(applyFiles(sql, { schema, functions: [] }, undefined, attempts), {
    name: 'StartError',
    message: /locked by kasir dump \(process \d+ of Postgres\)\. Nothing was changed\..*end it/,
  });
  t.match(await sql`select to_regclass('first') as found`, [{ found: null }]);
  await endReading();
  t.strictSame(await applyFiles(sql, { schema, functions: [] }), [
    'schema/0002_first.sql',
    'schema/0003_times.sql',
  ]);
});

t.test('a migration that Postgres ends for a deadlock begins again', async (t) => {
  const { sql } = await migrateFirst(t);
  // A roll-back leaves the sequence as it is, so the error comes once.
  await sql`create sequence attempts`;
  const deadlock = `do $$ begin
    if nextval('attempts') = 1 then raise 'deadlock detected' using errcode = '40P01'; end if;
  end $$`;
  const schema = [TABLES, CHANGE, writeFile('0003_deadlock.sql', deadlock)];
  const attempts = { count: 2, pauseMs: 0 };
  const applied = await applyFiles(sql, { schema, functions: [] }, undefined, attempts);
  t.strictSame(applied, ['schema/0002_times.sql', 'schema/0003_deadlock.sql']);
});
