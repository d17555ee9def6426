// The test files of each kind, and what they import.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { findPackageRoot } from '#ops/runtime/package-root.js';

/** Folders of test/ that `npm run test:all` adds to `npm test`. */
export const SLOW_KINDS = ['faults', 'browser', 'slow'] as const;
export type SlowKind = (typeof SLOW_KINDS)[number];
/** The folder of tests on clusters of servers and several hosts. Only `npm run test:scale` runs them: they take many minutes. */
export const SCALE = 'scale';

const CORE = 'test/core/';
const root = findPackageRoot();

export const findCompiled = (path: string): string => join('dist', path.replace(/\.ts$/, '.js'));

/** Test files below `folder`, by name. */
function listBelow(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

export const listCore = (): string[] => listBelow(CORE);
export const listSlow = (kind: SlowKind | typeof SCALE): string[] => listBelow(`test/${kind}/`);

/** The tests of `npm test` beside the core. */
export function listQuick(): string[] {
  const others = [CORE, ...[...SLOW_KINDS, SCALE].map((kind) => `test/${kind}/`)];
  return listBelow('test/').filter((path) => !others.some((folder) => path.startsWith(folder)));
}

/** The same order for the same seed. */
export function shuffle(files: readonly string[], seed: string): string[] {
  const rankOf = (path: string): string =>
    createHash('sha256').update(`${seed} ${path}`).digest('hex');
  return files
    .map((path) => ({ path, rank: rankOf(path) }))
    .sort((one, other) => (one.rank < other.rank ? -1 : 1))
    .map(({ path }) => path);
}

/** Whether a test file imports a compiled module, directly or not. */
export const reaches = (path: string, module: string): boolean =>
  findReached(findCompiled(path)).includes(module);

/** All compiled files and packages that `start` imports, directly or not. The compiler has left out types. */
function findReached(start: string): string[] {
  const reached = new Set([start]);
  for (const path of reached) {
    for (const name of listImports(path)) reached.add(name);
  }
  return [...reached];
}

const imports = new Map<string, readonly string[]>();

function listImports(path: string): readonly string[] {
  const known = imports.get(path);
  if (known !== undefined) return known;
  const file = join(root, path);
  const text = /\.m?js$/.test(path) && existsSync(file) ? readFileSync(file, 'utf8') : '';
  const names = [...text.matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map(
    ([, name = '']) => resolveName(path, name),
  );
  imports.set(path, names);
  return names;
}

function resolveName(from: string, name: string): string {
  if (name.startsWith('#')) return join('dist', name.slice(1));
  return name.startsWith('.') ? join(dirname(from), name) : name;
}
