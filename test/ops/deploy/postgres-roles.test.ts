// The roles of ops/deploy: one migrates, one runs the processes and owns nothing, one reads.
import t, { type Test } from 'tap';
import { openPostgres, type Postgres, SESSION } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import { maintainDays } from '#store/postgres/merchants/write-api-logs.js';
import { migrate } from '#store/postgres/migration/migrate.js';
import { verifyAudit } from '#store/postgres/operations/verify-audit.js';
import { makeMerchant } from '#test/support/accounts.js';
import { deployRoles, type Role, type RoleUrls, runDeployFile } from '#test/support/deployed.js';
import { createDatabase } from '#test/support/servers.js';

const DENIED = { code: '42501' };
const DAYS = 7;

const databaseUrl = await createDatabase(t);
const urls = await deployRoles(databaseUrl);
await runDeployFile(urls.kasir_migration, 'postgres-rights.sql');
const connect = (t: Test, role: Role, of: RoleUrls = urls): Postgres => {
  const sql = openPostgres(of[role], 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  return sql;
};

/** A database of a new installation: the superuser has made it, and nothing is in it. */
async function createEmptyDatabase(t: Test): Promise<string> {
  const url = new URL(await createDatabase(t));
  const sql = openPostgres(url.href, 'test', 1);
  const name = `${url.pathname.slice(1)}_empty`;
  await sql`create database ${sql(name)}`;
  t.teardown(async () => {
    await sql`drop database ${sql(name)} with (force)`;
    await sql.end({ timeout: 1 });
  });
  url.pathname = name;
  return url.href;
}

async function listOwners(sql: Postgres): Promise<string[]> {
  const rows = await sql<{ owner: string }[]>`
    select distinct pg_get_userbyid(owner) as owner from (
      select relowner as owner from pg_class where relnamespace = 'public'::regnamespace
      union all select proowner from pg_proc where pronamespace = 'public'::regnamespace
      union all select datdba from pg_database where datname = current_database()) o`;
  return rows.map(({ owner }) => owner);
}

t.test('the migration role owns all of an installation that had another owner', async (t) => {
  t.strictSame(await listOwners(connect(t, 'kasir_migration')), ['kasir_migration']);
});

t.test('the migration role migrates an empty database, and processes start on it', async (t) => {
  const empty = await createEmptyDatabase(t);
  const own = await deployRoles(empty);
  t.ok((await migrate(own.kasir_migration)).length > 0);
  const process = connect(t, 'kasir_process', own);
  const installation = { partitions: 4, idKey: Buffer.alloc(32, 1) };
  await checkInstallation(process, installation);
  await runDeployFile(own.kasir_migration, 'postgres-rights.sql');
  await checkInstallation(process, installation);
  t.strictSame(await listOwners(process), ['kasir_migration']);
});

t.test('both files may be run again', async (t) => {
  await runDeployFile(databaseUrl, 'postgres-roles.sql');
  await runDeployFile(urls.kasir_migration, 'postgres-rights.sql');
  t.strictSame(await migrate(urls.kasir_migration), []);
});

t.test('the days of the API logs are kept for a week of days by the process role', async (t) => {
  const owner = connect(t, 'kasir_migration');
  const process = connect(t, 'kasir_process');
  const addDays = async (days: number): Promise<string> => {
    const [row] = await owner<{ day: string }[]>`
      select to_char((now() at time zone 'UTC')::date + ${days}::integer, 'YYYYMMDD') as day`;
    return row?.day ?? '';
  };
  const isThere = async (day: string): Promise<boolean> => {
    const [row] = await owner<{ found: boolean }[]>`
      select to_regclass(${`api_logs_${day}`}) is not null as found`;
    return row?.found === true;
  };
  for (let ahead = 0; ahead < DAYS; ahead += 1) {
    const old = await addDays(ahead - 31);
    await owner.unsafe(`
      create table api_logs_${old} partition of api_logs
        for values from ('${old} 00:00+00') to ('${await addDays(ahead - 30)} 00:00+00')`);
    await maintainDays(process, await addDays(ahead));
    t.ok(await isThere(await addDays(ahead + 3)), 'the partition of the third next day is there');
    t.notOk(await isThere(old), 'the partition of 31 days before is gone');
  }
  t.strictSame(await listOwners(owner), ['kasir_migration']);
});

t.test(
  'arguments that would empty the API logs are refused, and say what is allowed',
  async (t) => {
    const process = connect(t, 'kasir_process');
    const message =
      /kept must be 30 to 3650 days, ahead 0 to 30 days, today \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d/;
    const refused = { code: '22023', message };
    await t.rejects(process`select keep_api_log_days(29, 3)`, refused);
    await t.rejects(process`select keep_api_log_days(3651, 3)`, refused);
    await t.rejects(process`select keep_api_log_days(30, -1)`, refused);
    await t.rejects(process`select keep_api_log_days(30, 31)`, refused);
    await t.rejects(process`select keep_api_log_days(30, 3, '2999-01-01')`, refused);
    await t.rejects(process`select keep_api_log_days(30, 3, '2000-01-01')`, refused);
    await t.rejects(process`select keep_api_log_days(30, null)`, refused);
  },
);

t.test('the process role does not change the schema', async (t) => {
  const process = connect(t, 'kasir_process');
  const [day] = await process<{ name: string }[]>`
    select 'api_logs_' || to_char(now() at time zone 'UTC', 'YYYYMMDD') as name`;
  for (const statement of [
    'create table mine (id integer)',
    'create temporary table pg_inherits (id integer)',
    'create schema mine',
    'create function mine() returns void language sql as $$ $$',
    'alter table payments add column mine text',
    'alter table postings disable trigger all',
    'drop function keep_api_log_days(integer, integer, date)',
    `drop table ${day?.name}`,
    'truncate payments',
    'truncate postings',
    'truncate audit_log',
    "insert into schema_files (name, checksum) values ('schema/9999_mine.sql', '')",
    'delete from schema_functions',
    'set session_replication_role = replica',
  ]) {
    await t.rejects(process.unsafe(statement), DENIED, statement);
  }
});

t.test('the process role deletes nothing of the ledger and of the audit log', async (t) => {
  const process = connect(t, 'kasir_process');
  await makeMerchant(process);
  for (const table of [
    ...['postings', 'balance_rows', 'balance_checkpoints', 'rail_bookings'],
    ...['audit_log', 'audit_heads', 'payments', 'refunds', 'payouts', 'payment_events'],
  ]) {
    await t.rejects(process`delete from ${process(table)}`, DENIED, table);
  }
  await t.rejects(process`update postings set amount = 1`, DENIED);
  await t.rejects(process`update audit_log set action = 'other'`, /append-only/);
});

t.test('the reading role proves ledger and audit log, and changes nothing', async (t) => {
  const reading = connect(t, 'kasir_reading');
  t.equal((await verifyLedger(reading)).isSound, true);
  t.equal((await verifyAudit(reading, '2026-08-01')).isSound, true);
  await t.rejects(reading`delete from switches`, { code: '25006' });
  await reading`set default_transaction_read_only = off`;
  for (const statement of [
    'delete from switches',
    "insert into switches (name, is_on) values ('payouts', false)",
    'update merchants set live_enabled = true',
    'create table mine (id integer)',
    'select keep_api_log_days(30, 3)',
  ]) {
    await t.rejects(reading.unsafe(statement), DENIED, statement);
  }
});

t.test('a session of the process role begins as processes behind PgBouncer need it', async (t) => {
  const url = new URL(urls.kasir_process);
  url.searchParams.set('pooling', 'transaction');
  const sql = openPostgres(url.href, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  const rows = await sql<{ name: string; setting: string }[]>`
    select name, setting from pg_settings where name in ${sql(Object.keys(SESSION))}`;
  const found = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
  t.strictSame(found, { ...SESSION, statement_timeout: String(SESSION.statement_timeout) });
});
