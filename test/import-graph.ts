// The imports between the files of a tree, as text: types count too, because a reader follows them as well.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Nodes and what each leads to. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

const IMPORT = /(?:from|import)\s*\(?\s*['"]([.#][^'"]+)['"]/g;
/** A source is imported by the name of what is compiled from it. */
const SOURCES: readonly (readonly [compiled: RegExp, source: string])[] = [
  [/$/, ''],
  [/\.js$/, '.ts'],
  [/\.js$/, '.tsx'],
];

/** The file that an import leads to, from the root; undefined when it leads to no source, such as a generated one. */
function findImported(root: string, from: string, name: string): string | undefined {
  const path = name.startsWith('#') ? name.slice(1) : join(dirname(from), name);
  return SOURCES.map(([compiled, source]) => path.replace(compiled, source)).find((candidate) =>
    existsSync(join(root, candidate)),
  );
}

export function readImports(root: string, files: readonly string[]): Graph {
  return new Map(
    files.map((from) => {
      const names = [...readFileSync(join(root, from), 'utf8').matchAll(IMPORT)];
      const paths = names.map(([, name = '']) => findImported(root, from, name));
      return [from, new Set(paths.filter((path) => path !== undefined && path !== from))] as const;
    }) as [string, Set<string>][],
  );
}

/** The same imports between the folders that `folderOf` gives. */
export function groupByFolder(graph: Graph, folderOf: (path: string) => string = dirname): Graph {
  const folders = new Map<string, Set<string>>();
  for (const [from, paths] of graph) {
    const folder = folderOf(from);
    const reached = folders.get(folder) ?? new Set<string>();
    for (const path of paths) if (folderOf(path) !== folder) reached.add(folderOf(path));
    folders.set(folder, reached);
  }
  return folders;
}
