// Brings a database to the schema of this build, in one transaction:
//   schema/NNNN_<area>.sql   applied once, in the order of their names. Forward only: an applied file is never
//                            edited, and a change is a new file with the next number.
//   functions/<area>.sql     `create or replace function`, without overloads, and nothing that cannot be repeated. All
//                            of them are executed again when one of the files has changed. They define every function,
//                            also those that a schema file creates for its triggers.
// The database remembers both: schema_files has a checksum per file and the version of Kasir that applied it,
// schema_functions the functions that may be dropped when no file defines them any longer. A function that a trigger or
// a column needs is replaced and never dropped: the schema file that drops its last trigger drops it too. An advisory lock
// lets one of several concurrent calls do the work. Nobody waits long behind a migration that waits for a lock (retry-locked.ts).
import { readVersion } from '#ops/runtime/package-root.js';
import { hasCode } from '../classify-failure.js';
import { openPostgres, type Postgres } from '../client.js';
import { tellNobody, type TellProgress } from '../progress.js';
import { ATTEMPTS, type Attempts, retryLocked } from './retry-locked.js';
import { readSqlFiles, type SqlFile } from './schema-files.js';
import { type AppliedFiles, findMissingFiles, readAppliedFiles } from './schema-state.js';

const LOCK = 7_271_830;
/** `create or replace function` cannot change the result or the parameters' names of a function. */
const INVALID_FUNCTION_DEFINITION = '42P13';

export interface SqlFiles {
  readonly schema: readonly SqlFile[];
  readonly functions: readonly SqlFile[];
}

/**
 * Returns the names of the files that were applied.
 * @throws SchemaError if this build cannot migrate the database; nothing was changed
 * @throws StartError if others hold its locks for minutes; nothing was changed
 */
export async function migrate(
  databaseUrl: string,
  tell: TellProgress = tellNobody,
): Promise<string[]> {
  const files = await readFiles();
  return connect(databaseUrl, (sql) => applyFiles(sql, files, tell));
}

/**
 * Returns the names of the files that `migrate` would apply, and changes nothing.
 * @throws SchemaError if this build cannot migrate the database
 */
export async function listPendingFiles(databaseUrl: string): Promise<string[]> {
  const { schema, functions } = await readFiles();
  const applied = await connect(databaseUrl, readAppliedFiles);
  return [
    ...findMissingFiles(schema, applied).map(({ name }) => name),
    ...findChangedFunctions(functions, applied),
  ];
}

const readFiles = async (): Promise<SqlFiles> => ({
  schema: await readSqlFiles('schema'),
  functions: await readSqlFiles('functions'),
});

async function connect<Result>(
  databaseUrl: string,
  work: (sql: Postgres) => Promise<Result>,
): Promise<Result> {
  const sql = openPostgres(databaseUrl, 'migrate', 2, { deadlineMs: null });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** `sql` has two connections: one asks what the other waits for. */
export async function applyFiles(
  sql: Postgres,
  files: SqlFiles,
  tell: TellProgress = tellNobody,
  attempts: Attempts = ATTEMPTS,
): Promise<string[]> {
  const apply = (mode: CreateMode): Promise<string[]> =>
    retryLocked(
      (blockers) =>
        sql.begin(async (begun) => {
          const tx = begun as unknown as Postgres;
          await waitForOthers(tx, tell);
          await blockers.limitLockWaits(tx, sql);
          return applyWithin(tx, files, mode, tell);
        }),
      tell,
      attempts,
    );
  try {
    return await apply('replace');
  } catch (error) {
    if (!hasCode(error, INVALID_FUNCTION_DEFINITION)) throw error;
    return apply('drop');
  }
}

/** `createFunctions` explains them. */
type CreateMode = 'replace' | 'drop';

async function waitForOthers(tx: Postgres, tell: TellProgress): Promise<void> {
  await tx`set local statement_timeout = 0`;
  tell({ step: 'waiting for another migration' });
  await tx`select pg_advisory_xact_lock(${LOCK})`;
}

async function applyWithin(
  sql: Postgres,
  { schema, functions }: SqlFiles,
  mode: CreateMode,
  tell: TellProgress,
): Promise<string[]> {
  const applied = await readAppliedFiles(sql);
  const missing = findMissingFiles(schema, applied);
  if (applied.size === 0) await createTables(sql);
  // The first databases had no such column.
  await sql`alter table schema_files add column if not exists kasir_version text`;
  for (const [index, file] of missing.entries()) {
    tell({ step: file.name, done: index, total: missing.length });
    await sql.unsafe(file.text);
    await recordFile(sql, file);
  }
  tell({ step: 'functions' });
  const changed = findChangedFunctions(functions, applied);
  if (changed.length > 0) await createFunctions(sql, functions, mode);
  return [...missing.map(({ name }) => name), ...changed];
}

async function createTables(sql: Postgres): Promise<void> {
  await sql`
    create table schema_files (
      name       text primary key,
      checksum   text not null,
      applied_at timestamptz not null default now())`;
  await sql`create table schema_functions (signature text primary key)`;
}

async function recordFile(sql: Postgres, { name, checksum }: SqlFile): Promise<void> {
  await sql`
    insert into schema_files (name, checksum, kasir_version)
    values (${name}, ${checksum}, ${readVersion()})`;
}

/** The names of function files that are new, edited or removed. */
function findChangedFunctions(functions: readonly SqlFile[], applied: AppliedFiles): string[] {
  const known = new Set(functions.map(({ name }) => name));
  const edited = functions.filter(({ name, checksum }) => applied.get(name)?.checksum !== checksum);
  const removed = [...applied.keys()].filter(
    (name) => name.startsWith('functions/') && !known.has(name),
  );
  return [...edited.map(({ name }) => name), ...removed];
}

/**
 * Mode `replace` keeps the identity of each function, so that statements under way go on. Mode `drop` is for
 * definitions that Postgres does not replace; a statement that was planned before the commit may fail once.
 */
async function createFunctions(
  sql: Postgres,
  functions: readonly SqlFile[],
  mode: CreateMode,
): Promise<void> {
  if (mode === 'drop') await dropFunctions(sql, sql`not ${isRequired(sql)}`);
  for (const { text } of functions) await sql.unsafe(text);
  const isCreatedHere = sql`p.xmin = pg_current_xact_id()::xid`;
  await dropFunctions(sql, sql`not (${isCreatedHere}) and not ${isRequired(sql)}`);
  await sql`delete from schema_functions`;
  await sql`
    insert into schema_functions (signature)
    select p.oid::regprocedure::text from pg_proc p
     where p.pronamespace = current_schema()::regnamespace and ${isCreatedHere} and not ${isRequired(sql)}`;
  await sql`delete from schema_files where name like 'functions/%'`;
  for (const file of functions) await recordFile(sql, file);
}

/** Drops the functions among those of earlier files that meet a condition on `p`, their row in pg_proc. */
async function dropFunctions(sql: Postgres, condition: ReturnType<Postgres>): Promise<void> {
  const rows = await sql<{ signature: string }[]>`
    select f.signature from schema_functions f
      join pg_proc p on p.oid::regprocedure::text = f.signature
     where p.pronamespace = current_schema()::regnamespace and ${condition}`;
  for (const { signature } of rows) await sql.unsafe(`drop function ${signature}`);
}

/** Triggers and columns need a function; bodies that are texts do not count for Postgres. */
function isRequired(sql: Postgres) {
  return sql`exists (
    select from pg_depend d
     where d.refclassid = 'pg_proc'::regclass and d.refobjid = p.oid and d.deptype = 'n')`;
}
