// The rights of the roles of ops/deploy, compared with the statements and the functions of the service.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { openPostgres } from '#store/postgres/client.js';
import { applyFiles } from '#store/postgres/migration/migrate.js';
import { SEALED_COLUMNS } from '#store/postgres/operations/sealed-values.js';
import { type SqlFile, readSqlFiles } from '#store/postgres/migration/schema-files.js';
import { deployRoles, runDeployFile } from '#test/support/deployed.js';
import { createDatabase } from '#test/support/servers.js';

const databaseUrl = await createDatabase(t);
const urls = await deployRoles(databaseUrl);
const RIGHTS = 'postgres-rights.sql';
await runDeployFile(urls.kasir_migration, RIGHTS);
const sql = openPostgres(urls.kasir_migration, 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));

/** Tables, without the partitions of api_logs. */
async function listTables(role: string, right: string): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
       and has_table_privilege(${role}, oid, ${right})
     order by relname collate "C"`;
  return rows.map(({ name }) => name);
}

/** The tables from which a statement of store/ deletes. `migrate` deletes from its own, as the migration role. */
function listDeletedFrom(): string[] {
  const store = join(findPackageRoot(), 'store');
  const files = readdirSync(store, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.(ts|sql)$/.test(file) && file !== 'postgres/migration/migrate.ts',
  );
  const texts = files.map((file) => readFileSync(join(store, file), 'utf8'));
  const names = texts.flatMap((text) => [...text.matchAll(/\bdelete from (\w+)/gi)]);
  return [...new Set(names.map(([, name = '']) => name))].sort();
}

t.test('the process role deletes from the tables that a statement deletes from', async (t) => {
  const deleted = listDeletedFrom();
  t.ok(deleted.includes('webhook_deliveries'), 'statements were found');
  t.strictSame(
    await listTables('kasir_process', 'DELETE'),
    deleted,
    `the list in ops/deploy/${RIGHTS} and the statements of store/ agree`,
  );
});

t.test('the process role reads every table, and writes all but those of the schema', async (t) => {
  const all = await listTables('kasir_migration', 'SELECT');
  t.ok(all.length > 60);
  t.strictSame(await listTables('kasir_process', 'SELECT'), all);
  const ofSchema = ['schema_files', 'schema_functions'];
  const written = all.filter((name) => !ofSchema.includes(name));
  t.strictSame(await listTables('kasir_process', 'INSERT'), written);
  const changed = written.filter((name) => name !== 'postings');
  t.strictSame(await listTables('kasir_process', 'UPDATE'), changed);
  for (const right of ['TRUNCATE', 'REFERENCES', 'TRIGGER']) {
    t.strictSame(await listTables('kasir_process', right), [], right);
  }
});

/** They hold what a rail or a receiver sent, and its digest: no credentials. */
const RECEIVED = ['rail_callbacks', 'webhook_deliveries'];

t.test('the reading role reads no table with credentials, sealed values or mails', async (t) => {
  const columns = await sql<{ table: string }[]>`
    select distinct table_name as table from information_schema.columns
     where table_schema = 'public' and table_name not in ${sql(['audit_log', ...RECEIVED])}
       and column_name ~ '(^|_)(digest|secret|password_hash|challenge|body)$' and table_name not like 'api\\_logs%'`;
  const secret = [...columns, ...SEALED_COLUMNS].map(({ table }) => table);
  t.ok(secret.includes('recovery_codes') && secret.includes('mails'), 'columns were found');
  const read = new Set(await listTables('kasir_reading', 'SELECT'));
  t.strictSame(
    secret.filter((name) => read.has(name)),
    [],
  );
  t.ok(read.has('audit_log') && read.has('postings') && read.has('payments'));
  for (const right of ['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) {
    t.strictSame(await listTables('kasir_reading', right), [], right);
  }
});

t.test(
  'a function with the rights of its owner has a fixed path, and the processes alone call it',
  async (t) => {
    const rows = await sql<{ name: string; settings: string[]; callers: string[] }[]>`
    select proname as name, to_json(proconfig) as settings,
           (select json_agg(rolname order by rolname) from pg_roles
             where rolname in ('kasir_process', 'kasir_reading', 'pg_monitor')
               and has_function_privilege(rolname, p.oid, 'execute')) as callers
      from pg_proc p where pronamespace = 'public'::regnamespace and prosecdef`;
    t.strictSame(
      [...rows],
      [
        {
          name: 'keep_api_log_days',
          settings: ['search_path=public, pg_temp'],
          callers: ['kasir_process'],
        },
      ],
    );
  },
);

t.test('tables and functions of a later migration have their rights at once', async (t) => {
  const write = (name: string, text: string): SqlFile => ({ name, text, checksum: text });
  const schema = [
    ...(await readSqlFiles('schema')),
    write('schema/9999_later.sql', 'create table later (id integer)'),
  ];
  const functions = [
    ...(await readSqlFiles('functions')),
    write(
      'functions/later.sql',
      `create or replace function count_later() returns bigint language sql security definer
         set search_path = public, pg_temp as $$ select count(*) from later $$;
       revoke execute on function count_later() from public;`,
    ),
  ];
  await applyFiles(sql, { schema, functions });
  const process = openPostgres(urls.kasir_process, 'test', 1);
  const reading = openPostgres(urls.kasir_reading, 'test', 1);
  t.teardown(() => Promise.all([process.end({ timeout: 1 }), reading.end({ timeout: 1 })]));
  await process`insert into later values (1), (2)`;
  await process`update later set id = 3 where id = 1`;
  await process`delete from later where id = 2`;
  t.strictSame([...(await reading`select id from later`)], [{ id: 3 }]);
  t.strictSame([...(await process`select count_later() as count`)], [{ count: '1' }]);
  await t.rejects(reading`select count_later()`, { code: '42501' });
  await t.rejects(reading`insert into later values (4)`, /read-only/);
});
