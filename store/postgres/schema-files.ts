// The SQL files of this build: schema/NNNN_<area>.sql and functions/<area>.sql.
import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findPackageRoot } from '#ops/runtime/package-root.js';

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
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(path, name), 'utf8');
      const checksum = createHash('sha256').update(text).digest('hex');
      return { name: `${folder}/${name}`, text, checksum };
    }),
  );
}
