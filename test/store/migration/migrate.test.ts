// Schema files are applied once and forward only; functions are created again when their files change.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { makeDemoSecrets, seedDemo } from '#ops/dev/demo.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { applyFiles, listPendingFiles, migrate } from '#store/postgres/migration/migrate.js';
import { readSqlFiles, type SqlFile } from '#store/postgres/migration/schema-files.js';
import type { Progress } from '#store/postgres/progress.js';
import { runKasir } from '#test/support/kasir.js';
import { createDatabase } from '#test/support/servers.js';

const databaseUrl = await createDatabase(t);
const database = openPostgres(databaseUrl, 'test', 1);
t.teardown(() => database.end());

let schemas = 0;

/** An empty schema stands for an empty database. */
async function createSchema(t: Test): Promise<{ url: string; sql: Postgres }> {
  const name = `empty_${++schemas}`;
  await database`create schema ${database(name)}`;
  const url = new URL(databaseUrl);
  url.searchParams.set('search_path', name);
  const sql = openPostgres(url.href, 'test', 1);
  t.teardown(() => sql.end());
  return { url: url.href, sql };
}

function writeFile(name: string, text: string): SqlFile {
  return { name, text, checksum: createHash('sha256').update(text).digest('hex') };
}

const TABLES = writeFile('schema/0001_tables.sql', 'create table notes (text text)');
const writeFunctions = (text: string) => writeFile('functions/notes.sql', text);
const writeFunction = (head: string, value: string) =>
  writeFunctions(`create or replace function ${head} language sql as $$ select ${value} $$`);

async function listFunctions(sql: Postgres): Promise<string[]> {
  const rows = await sql<{ signature: string }[]>`
    select oid::regprocedure::text as signature from pg_proc
     where pronamespace = current_schema()::regnamespace order by 1`;
  return rows.map(({ signature }) => signature);
}

t.test('a second migration finds nothing to do', async (t) => {
  t.strictSame(await migrate(databaseUrl), []);
});

t.test('a dry run names what a migration would apply, and applies nothing', async (t) => {
  const { url, sql } = await createSchema(t);
  const { code, stdout } = await runKasir({ DATABASE_URL: url }, 'migrate', '--dry-run', '--json');
  t.equal(code, 0);
  const { applied, dryRun } = JSON.parse(stdout) as { applied: string[]; dryRun: boolean };
  t.equal(dryRun, true);
  t.strictSame([...(await sql`select to_regclass('schema_files') as found`)], [{ found: null }]);
  const told: Progress[] = [];
  t.strictSame(await migrate(url, (progress) => told.push(progress)), applied);
  const schema = applied.filter((name) => name.startsWith('schema/'));
  t.strictSame(
    told.flatMap(({ step, done, total }) => (done === undefined ? [] : [{ step, done, total }])),
    schema.map((step, done) => ({ step, done, total: schema.length })),
    'a migration tells each file',
  );
  t.strictSame(await listPendingFiles(url), []);
});

t.test('migrations that start together are applied once', async (t) => {
  const { url } = await createSchema(t);
  const applied = await Promise.all([migrate(url), migrate(url)]);
  t.strictSame(applied.map((names) => names.length > 0).sort(), [false, true]);
});

t.test(
  'keys and invitations from before 0027 get the maker that the audit log names',
  async (t) => {
    const sql = openPostgres(await createDatabase(t), 'test', 1);
    t.teardown(() => sql.end());
    await sql`insert into merchants (id, business_name) values ('mer_1', 'Toko')`;
    const addUser = (actor: string, id: string): Promise<unknown> =>
      sql.begin(async (tx) => {
        await tx`select act_as(${actor}, '192.0.2.1')`;
        await tx`insert into users (id, email, merchant_id, role)
               values (${id}, ${`${id}@example.com`}, 'mer_1', 'owner')`;
        await tx`insert into api_keys (id, merchant_id, environment, prefix, last_four, digest)
               values (${`key_${id}`}, 'mer_1', 'TEST', 'sk_test_', 'abcd', convert_to(${id}, 'UTF8'))`;
      });
    await addUser('usr_owner', 'usr_owner');
    await addUser('usr_owner', 'usr_gone');
    await addUser('usr_gone', 'usr_invited');
    await addUser('', 'usr_seeded');
    await sql`delete from users where id = 'usr_gone'`;
    // Its statements that fill the columns. The whole file would need a schema up to 0026, and functions that fit it.
    const file = (await readSqlFiles('schema')).find(({ name }) => name.includes('/0027_'));
    await sql.unsafe(file?.text.slice(file.text.indexOf('update api_keys')) ?? '');
    const keys = await sql<{ id: string; maker: string | null; email: string | null }[]>`
    select id, made_by as maker, made_by_email as email from api_keys order by id`;
    t.strictSame(
      keys.map(({ id, maker, email }) => [id, maker, email]),
      [
        ['key_usr_gone', 'usr_owner', 'usr_owner@example.com'],
        ['key_usr_invited', 'usr_gone', 'usr_gone@example.com'],
        ['key_usr_owner', 'usr_owner', 'usr_owner@example.com'],
        ['key_usr_seeded', null, null],
      ],
    );
    const users = await sql<{ id: string; inviter: string | null }[]>`
    select id, invited_by as inviter from users order by id`;
    t.strictSame(
      users.map(({ id, inviter }) => [id, inviter]),
      [
        ['usr_invited', 'usr_gone'],
        ['usr_owner', null],
        ['usr_seeded', null],
      ],
    );
  },
);

t.test('each schema file is the one that was released', async (t) => {
  const released = await readFile(
    join(findPackageRoot(), 'test/store/migration/released-schema.sha256'),
    'utf8',
  );
  const files = await readSqlFiles('schema');
  const found = files.map(({ name, checksum }) => `${checksum}  ${name.slice('schema/'.length)}\n`);
  t.equal(found.join(''), released, 'edit no released file: write the change into a new one');
});

t.test('each function of a migrated database is defined in functions/', async (t) => {
  const files = await readSqlFiles('functions');
  const defined = files.flatMap(({ text }) =>
    [...text.matchAll(/^create or replace function (\w+)\s*\(/gm)].map(([, name]) => name),
  );
  const rows = await database<{ proname: string }[]>`
    select proname from pg_proc where pronamespace = 'public'::regnamespace`;
  t.strictSame(rows.map(({ proname }) => proname).sort(), defined.sort());
});

t.test('a change of any real function file is migrated, and triggers go on', async (t) => {
  const url = await createDatabase(t);
  const sql = openPostgres(url, 'test', 1);
  t.teardown(() => sql.end());
  await seedDemo(url, makeDemoSecrets());
  const schema = await readSqlFiles('schema');
  const functions = await readSqlFiles('functions');
  const before = await listFunctions(sql);
  for (const { name } of functions) {
    const changed = functions.map((file) =>
      file.name === name ? writeFile(name, `${file.text}\n-- changed\n`) : file,
    );
    const applied = await applyFiles(sql, { schema, functions: changed });
    t.ok(applied.includes(name), name);
    t.strictSame(await listFunctions(sql), before, name);
  }
  await sql`
    insert into operator_tasks (id, kind, details, opened_at)
    values ('task_1', 'unknown_order', '{}', now())`;
  t.match(await sql`select environment from operator_tasks`, [{ environment: 'LIVE' }]);
});

t.test('no function of functions/ has an overload', async (t) => {
  const overloaded = await database`
    select proname from pg_proc where pronamespace = 'public'::regnamespace
     group by proname having count(*) > 1`;
  t.strictSame([...overloaded], []);
});

t.test('a new schema file is applied after those that were applied', async (t) => {
  const { sql } = await createSchema(t);
  await applyFiles(sql, { schema: [TABLES], functions: [] });
  const more = writeFile('schema/0002_more.sql', 'alter table notes add column at timestamptz');
  const applied = await applyFiles(sql, { schema: [TABLES, more], functions: [] });
  t.strictSame(applied, ['schema/0002_more.sql']);
});

t.test('a migration that fails changes nothing', async (t) => {
  const { sql } = await createSchema(t);
  const broken = writeFile('schema/0002_broken.sql', 'create table broken (nothing of_that_kind)');
  await t.rejects(applyFiles(sql, { schema: [TABLES, broken], functions: [] }), /of_that_kind/);
  const rows = await sql`select from pg_class where relnamespace = current_schema()::regnamespace`;
  t.equal(rows.length, 0);
});

t.test('an applied schema file that was edited is refused by name', async (t) => {
  const { sql } = await createSchema(t);
  await applyFiles(sql, { schema: [TABLES], functions: [] });
  const edited = writeFile(TABLES.name, `${TABLES.text} -- edited`);
  await t.rejects(applyFiles(sql, { schema: [edited], functions: [] }), {
    name: 'SchemaError',
    message:
      /schema\/0001_tables\.sql of this installation \(Kasir .+\) differs .* Install an unedited release/,
  });
});

t.test('a database of a newer version is not migrated', async (t) => {
  const { sql } = await createSchema(t);
  await applyFiles(sql, { schema: [TABLES], functions: [writeFunction('f() returns int', '1')] });
  await sql`update schema_files set kasir_version = '9.0.0'`;
  await t.rejects(applyFiles(sql, { schema: [], functions: [] }), {
    name: 'SchemaError',
    message: /^Kasir 9\.0\.0 migrated the database.*schema\/0001_tables\.sql.*still run on it/,
  });
  t.strictSame(await listFunctions(sql), ['f()'], 'its functions are kept');
});

t.test('a database of before 0.1.0 is not migrated', async (t) => {
  const { url, sql } = await createSchema(t);
  await sql`create table schema_migrations (name text)`;
  await sql`insert into schema_migrations values ('0001_path.sql'), ('0029_unknown_calls.sql')`;
  const message = /its latest migration is 0029_unknown_calls\.sql\), and cannot be upgraded/;
  await t.rejects(migrate(url), { name: 'SchemaError', message });
  t.strictSame([...(await sql`select to_regclass('schema_files') as found`)], [{ found: null }]);
});

t.test('a function whose body changed is replaced and keeps its identity', async (t) => {
  const { sql } = await createSchema(t);
  const identify = () => sql`select 'f'::regproc::oid::text as oid, f() as value`;
  await applyFiles(sql, { schema: [], functions: [writeFunction('f() returns int', '1')] });
  const [before] = await identify();
  const functions = [writeFunction('f() returns int', '2')];
  t.strictSame(await applyFiles(sql, { schema: [], functions }), ['functions/notes.sql']);
  t.strictSame(await applyFiles(sql, { schema: [], functions }), [], 'once');
  t.strictSame([...(await identify())], [{ oid: String(before?.['oid']), value: 2 }]);
});

t.test('a function whose signature changed leaves no overload', async (t) => {
  const { sql } = await createSchema(t);
  for (const [head, signature] of [
    ['f(a int) returns int', 'f(integer)'],
    ['f(a int, b text) returns int', 'f(integer,text)'],
    ['f(other int, b text) returns int', 'f(integer,text)'],
    ['f(other int, b text) returns text', 'f(integer,text)'],
  ] as const) {
    const value = head.endsWith('text') ? "'1'" : '1';
    await applyFiles(sql, { schema: [], functions: [writeFunction(head, value)] });
    t.strictSame(await listFunctions(sql), [signature], head);
  }
});

t.test('a function that no file defines any longer is dropped, others are kept', async (t) => {
  const { sql } = await createSchema(t);
  await sql`create function of_an_operator() returns int language sql as 'select 1'`;
  const f = writeFile('functions/f.sql', writeFunction('f() returns int', '1').text);
  const g = writeFile('functions/g.sql', writeFunction('g() returns int', '1').text);
  await applyFiles(sql, { schema: [], functions: [f, g] });
  t.strictSame(await applyFiles(sql, { schema: [], functions: [f] }), ['functions/g.sql']);
  t.strictSame(await listFunctions(sql), ['f()', 'of_an_operator()']);
});

t.test('a trigger works with the function that its schema file only declares', async (t) => {
  const { sql } = await createSchema(t);
  const schema = [
    writeFile(
      'schema/0001_tables.sql',
      `create table notes (text text);
       create function mark() returns trigger language plpgsql
         as $$ begin raise exception 'declared only'; end $$;
       create trigger mark before insert on notes for each row execute function mark()`,
    ),
  ];
  const define = (mark: string) =>
    writeFunctions(`
      create or replace function other(${mark} int) returns int language sql as 'select 1';
      create or replace function mark() returns trigger language plpgsql
        as $$ begin new.text := '${mark}'; return new; end $$`);
  for (const mark of ['first', 'second']) {
    await applyFiles(sql, { schema, functions: [define(mark)] });
    t.match(await sql`insert into notes values ('') returning text`, [{ text: mark }]);
  }
});

t.test(
  'a function that a trigger needs stays although no file defines it any longer',
  async (t) => {
    const { sql } = await createSchema(t);
    const trigger = `create or replace function mark() returns trigger language plpgsql
    as $$ begin new.text := 'marked'; return new; end $$`;
    const schema = [
      writeFile(
        'schema/0001_tables.sql',
        `create table notes (text text); ${trigger};
       create trigger mark before insert on notes for each row execute function mark()`,
      ),
    ];
    await applyFiles(sql, { schema, functions: [writeFunctions(trigger)] });
    // Databases of the first versions recorded such functions as well.
    await sql`insert into schema_functions (signature) values ('mark()') on conflict do nothing`;
    await applyFiles(sql, { schema, functions: [writeFunction('f() returns int', '1')] });
    t.strictSame(await listFunctions(sql), ['f()', 'mark()']);
    t.match(await sql`insert into notes values ('') returning text`, [{ text: 'marked' }]);
  },
);
