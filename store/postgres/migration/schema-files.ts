// The SQL files of this build: schema/NNNN_<area>.sql and functions/<area>.sql. One of functions/ is written by the program:
// functions/commit_rows.sql reads the rows of a commit (commit-columns.ts).
import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { READER_FUNCTIONS } from '../payments/commit-columns.js';

export interface SqlFile {
  /** With its folder: `schema/0004_payments.sql`. */
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
}

/** In the order of their names. */
export async function readSqlFiles(folder: 'schema' | 'functions'): Promise<SqlFile[]> {
  const path = join(findPackageRoot(), 'store', 'postgres', folder);
  const names = (await readdir(path)).filter((name) => name.endsWith('.sql')).sort();
  const files = await Promise.all(
    names.map(async (name) =>
      buildFile(`${folder}/${name}`, await readFile(join(path, name), 'utf8')),
    ),
  );
  return folder === 'schema'
    ? files
    : [buildFile('functions/commit_rows.sql', READER_FUNCTIONS), ...files];
}

function buildFile(name: string, text: string): SqlFile {
  return { name, text, checksum: createHash('sha256').update(text).digest('hex') };
}
