// Reads the Procfile, which says how production, `npm start` and the benches run each process.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ProcfileEntry<Name extends string = string> {
  readonly name: Name;
  /** Options of node itself. */
  readonly flags: readonly string[];
  /** The file that node runs, relative to the package root. */
  readonly main: string;
}

/** The entry of process `name`; undefined: the Procfile has none. */
export function readProcfile<Name extends string>(
  root: string,
  name: Name,
): ProcfileEntry<Name> | undefined {
  const lines = readFileSync(join(root, 'Procfile'), 'utf8').split('\n');
  const line = lines.find((each) => each.startsWith(`${name}: node `));
  const words = line?.split(' ').filter((word) => word !== '') ?? [];
  const main = words.at(-1);
  return main === undefined ? undefined : { name, flags: words.slice(2, -1), main };
}
