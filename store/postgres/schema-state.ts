// Compares the schema of a database with the SQL files of this build. A database is
//   empty     no file was applied
//   older     made before 0.1.0, by migrations that no longer exist: it cannot be upgraded
//   behind    files of this build are missing: `migrate` applies them
//   current   all files of this build are applied
//   ahead     a newer version migrated it: processes of this version still run on it, so that a new version
//             can be rolled out process by process, but `migrate` of this version refuses it
import { StartError } from '#ops/runtime/config.js';
import type { Postgres } from './client.js';
import { readSqlFiles, type SqlFile } from './schema-files.js';

/** The message says what is wrong with the database's schema, what is allowed and what to do next. */
export class SchemaError extends StartError {
  override readonly name = 'SchemaError';
}

/** Checksums of the applied files, by name; empty: none was applied. */
export type AppliedFiles = ReadonlyMap<string, string>;

/** @throws SchemaError if the database is older than 0.1.0 */
export async function readAppliedFiles(sql: Postgres): Promise<AppliedFiles> {
  const [found] = await sql<{ hasMigrations: boolean; hasFiles: boolean }[]>`
    select to_regclass('schema_migrations') is not null as "hasMigrations",
           to_regclass('schema_files') is not null as "hasFiles"`;
  if (found?.hasMigrations) throw new SchemaError(await describeOlder(sql));
  if (!found?.hasFiles) return new Map();
  const rows = await sql<{ name: string; checksum: string }[]>`
    select name, checksum from schema_files`;
  return new Map(rows.map(({ name, checksum }) => [name, checksum]));
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
    `The database lacks ${listNames(missing)}, which this version needs. ` +
      'Run `npm run migrate` before you start processes of this version.',
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
  if (unknown.length > 0) {
    throw new SchemaError(
      `A newer version migrated the database: it has ${unknown.join(', ')}, which this version does not know. ` +
        'Run the `migrate` of that version instead.',
    );
  }
  const edited = schemaFiles.filter(
    ({ name, checksum }) => applied.has(name) && applied.get(name) !== checksum,
  );
  if (edited.length > 0) {
    throw new SchemaError(
      `${listNames(edited)} differs from the file that was applied to the database. An applied schema file ` +
        'must not change: undo the edit, and write the change into a new file with the next number.',
    );
  }
  return schemaFiles.filter(({ name }) => !applied.has(name));
}

async function describeOlder(sql: Postgres): Promise<string> {
  const rows = await sql<{ latest: string | null }[]>`
    select max(name) as latest from schema_migrations`;
  return (
    `The database was made before version 0.1.0 (its latest migration is ${rows[0]?.latest ?? 'none'}), and cannot ` +
    'be upgraded. This version works on an empty database, or on one that 0.1.0 or later has migrated. ' +
    'Next: dump what you need with pg_dump, create an empty database, set DATABASE_URL to it and run ' +
    '`npm run migrate`. If it only holds the demo data of `npm start`: delete the folder DATA_DIR ' +
    '(.data, if it is not set) and run `npm start` again.'
  );
}

function listNames(files: readonly SqlFile[]): string {
  return files.map(({ name }) => `store/postgres/${name}`).join(', ');
}
