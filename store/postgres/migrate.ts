// Forward-only migrations: every file of migrations/ once, in the order of its name, each in its own
// transaction. Several processes may start at once: an advisory lock lets one of them do the work.
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openPostgres, type Postgres } from './client.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';

const LOCK = 7_271_830;

/** Brings the database at `databaseUrl` to the newest schema; answers the names of what was applied. */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const sql = openPostgres(databaseUrl, 'migrate', 1);
  try {
    return await applyMissing(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function applyMissing(sql: Postgres): Promise<string[]> {
  const folder = join(findPackageRoot(), 'store', 'postgres', 'migrations');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  await sql`set statement_timeout = 0`;
  await sql`select pg_advisory_lock(${LOCK})`;
  await sql`create table if not exists schema_migrations (
    name text primary key, applied_at timestamptz not null default now())`;
  const rows = await sql<{ name: string }[]>`select name from schema_migrations`;
  const done = new Set(rows.map((row) => row.name));
  const missing = names.filter((name) => !done.has(name));
  for (const name of missing) {
    const text = await readFile(join(folder, name), 'utf8');
    await sql.begin(async (tx) => {
      await tx.unsafe(text);
      await tx`insert into schema_migrations (name) values (${name})`;
    });
  }
  return missing;
}
