// The Procfile: how production starts each process, and so do `npm start` and the benches.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ProcfileEntry<Name extends string = string> {
  readonly name: Name;
  /** Node's own options. */
  readonly flags: readonly string[];
  /** The file that node runs, from the package root. */
  readonly main: string;
}

/** The line of process `name`; undefined when there is none. */
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
