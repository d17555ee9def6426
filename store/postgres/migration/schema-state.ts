// Compares the schema of a database with the SQL files of this build. A database is
//   empty     no file was applied
//   older     made before 0.1.0, by migrations that no longer exist: it cannot be upgraded
//   behind    files of this build are missing: `migrate` applies them
//   current   all files of this build are applied
//   ahead     a newer version migrated it: processes of this version still run on it, so that a new version
//             can be rolled out process by process, but `migrate` of this version refuses it
import { StartError } from '#ops/runtime/config.js';
import { readVersion } from '#ops/runtime/package-root.js';
import type { Postgres } from '../client.js';
import { readSqlFiles, type SqlFile } from './schema-files.js';

/** The message says what is wrong with the database's schema, what is allowed and what to do next. */
export class SchemaError extends StartError {
  override readonly name = 'SchemaError';
}

/** By name; empty: no file was applied. `version`: the Kasir that applied the file; null: before versions were stored. */
export type AppliedFiles = ReadonlyMap<
  string,
  { readonly checksum: string; readonly version: string | null }
>;

/** @throws SchemaError if the database is older than 0.1.0 */
export async function readAppliedFiles(sql: Postgres): Promise<AppliedFiles> {
  const [found] = await sql<{ hasMigrations: boolean; hasFiles: boolean }[]>`
    select to_regclass('schema_migrations') is not null as "hasMigrations",
           to_regclass('schema_files') is not null as "hasFiles"`;
  if (found?.hasMigrations) throw new SchemaError(await describeOlder(sql));
  if (!found?.hasFiles) return new Map();
  const rows = await sql<{ name: string; checksum: string; version: string | null }[]>`
    select name, checksum, to_jsonb(f) ->> 'kasir_version' as version from schema_files f`;
  return new Map(rows.map(({ name, ...file }) => [name, file]));
}

/**
 * Every process checks this at its start.
 * @throws SchemaError if the database is empty, older or behind
 */
export async function checkSchema(sql: Postgres): Promise<void> {
  const applied = await readAppliedFiles(sql);
  const missing = (await readSqlFiles('schema')).filter(({ name }) => !applied.has(name));
  if (missing.length === 0) return;
  throw new SchemaError(
    `The database lacks ${listNames(missing)}, which this version (${readVersion()}) needs. ` +
      'Run `npx kasir migrate` of this version before you start its processes.',
  );
}

/**
 * The schema files that `migrate` has to apply.
 * @throws SchemaError if the database is ahead, or an applied file was edited
 */
export function findMissingFiles(
  schemaFiles: readonly SqlFile[],
  applied: AppliedFiles,
): readonly SqlFile[] {
  const known = new Set(schemaFiles.map(({ name }) => name));
  const unknown = [...applied.keys()].filter(
    (name) => name.startsWith('schema/') && !known.has(name),
  );
  if (unknown.length > 0) throw new SchemaError(describeAhead(unknown, applied));
  const differing = schemaFiles.filter(
    ({ name, checksum }) => applied.has(name) && applied.get(name)?.checksum !== checksum,
  );
  if (differing.length > 0) throw new SchemaError(describeDiffering(differing, applied));
  return schemaFiles.filter(({ name }) => !applied.has(name));
}

function describeAhead(unknown: readonly string[], applied: AppliedFiles): string {
  return (
    `Kasir ${nameVersions(unknown, applied)} migrated the database: it has ${unknown.join(', ')}, which this version ` +
    `(${readVersion()}) does not know. Nothing was changed. Processes of this version still run on it. To migrate, run ` +
    '`npx kasir migrate` of that version.'
  );
}

function describeDiffering(differing: readonly SqlFile[], applied: AppliedFiles): string {
  const names = differing.map(({ name }) => name);
  return (
    `${listNames(differing)} of this installation (Kasir ${readVersion()}) differs from the file that Kasir ` +
    `${nameVersions(names, applied)} applied to the database. A released schema file never changes, so one of the two was ` +
    'edited. Nothing was changed in the database. Install an unedited release of Kasir. If the change was yours, write it ' +
    'into a new file with the next number.'
  );
}

/** Only 0.1.0 stored no version. */
function nameVersions(names: readonly string[], applied: AppliedFiles): string {
  const versions = names.map((name) => applied.get(name)?.version ?? '0.1.0');
  return [...new Set(versions)].sort().join(', ');
}

async function describeOlder(sql: Postgres): Promise<string> {
  const rows = await sql<{ latest: string | null }[]>`
    select max(name) as latest from schema_migrations`;
  return (
    `The database was made before version 0.1.0 (its latest migration is ${rows[0]?.latest ?? 'none'}), and cannot ` +
    `be upgraded. This version (${readVersion()}) works on an empty database, or on one that 0.1.0 or later has migrated. ` +
    'Next: dump what you need with pg_dump, create an empty database, set DATABASE_URL to it and run ' +
    '`npx kasir migrate`. If it only holds the demo data of `npm start`: delete the folder DATA_DIR ' +
    '(.data, if it is not set) and run `npm start` again.'
  );
}

function listNames(files: readonly SqlFile[]): string {
  return files.map(({ name }) => `store/postgres/${name}`).join(', ');
}
