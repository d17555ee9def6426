// The layout of ARCHITECTURE.md: a fixed top level, and no folder with more than twenty files.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { findPackageRoot } from '../ops/runtime/package-root.js';

const MAX_FILES = 20;
const TOP = [
  /^(package|package-lock|tsconfig)\.json$/,
  /^(README|ARCHITECTURE|CHANGELOG|CONTRIBUTING)\.md$/,
  /^(LICENSE|Procfile|compose\.yaml)$/,
  /^[a-z-]+\.config\.[a-z]+$/,
  /^\./,
  /^(docs|examples|findings|gateway|actors|store|ops|bench|test)$/,
];
/** Not part of the tree: made by npm and by the compiler. */
const MADE = ['node_modules', 'dist', 'coverage'];

const root = findPackageRoot();

/** Files as git sees them, ignored ones left out; in an unpacked archive, those that are there. */
function listFiles(): string[] {
  const options = { cwd: root, encoding: 'utf8' } as const;
  const git = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], options);
  if (git.status === 0)
    return git.stdout.split('\n').filter((path) => existsSync(join(root, path)));
  return readdirSync(root, { recursive: true, encoding: 'utf8' });
}

const files = listFiles().filter((path) => path !== '' && !MADE.includes(path.split('/')[0] ?? ''));

t.test('the top level holds nothing but the fixed names', (t) => {
  const names = new Set(files.map((path) => path.split('/')[0] ?? ''));
  t.same(
    [...names].filter((name) => !TOP.some((pattern) => pattern.test(name))),
    [],
  );
  t.end();
});

/** Numbered files, which are only added. */
const NUMBERED = ['store/postgres/schema', 'docs/decisions'];

t.test('no folder holds more than twenty files', (t) => {
  const counts = new Map<string, number>();
  for (const path of files.filter((file) => file.includes('/'))) {
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  }
  t.same(
    [...counts].filter(([folder, count]) => count > MAX_FILES && !NUMBERED.includes(folder)),
    [],
  );
  t.end();
});

t.test('no file is named after nothing in particular', (t) => {
  const sources = files.filter((path) => path.endsWith('.ts'));
  t.ok(sources.length > 0);
  t.same(
    sources.filter((path) => /(^|\/)(utils?|helpers?|common|types)\.ts$/.test(path)),
    [],
  );
  t.end();
});

/** The folders that a file's imports lead to, from the package root. */
function listImportedFolders(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?['"]([.#][^'"]+)['"]/g)].map(([, name = '']) =>
    dirname(name.startsWith('#') ? name.slice(1) : join(dirname(path), name)),
  );
}

t.test('no two folders import each other', (t) => {
  const edges = new Set(
    files
      .filter((path) => /^(gateway|actors|store|ops)\/.*\.ts$/.test(path))
      .flatMap((path) => listImportedFolders(path).map((to) => `${dirname(path)} ${to}`)),
  );
  t.ok(edges.size > 50);
  const isMutual = (edge: string): boolean => {
    const [from = '', to = ''] = edge.split(' ');
    return from < to && edges.has(`${to} ${from}`);
  };
  t.strictSame([...edges].filter(isMutual), []);
  t.end();
});

t.test('an import that climbs two folders names the path from the root', (t) => {
  const far = files.filter(
    (path) =>
      /\.ts$/.test(path) &&
      /(?:from|import)\s*\(?['"]\.\.\/\.\.\//.test(readFileSync(join(root, path), 'utf8')),
  );
  t.strictSame(far, []);
  t.end();
});

t.test('a process is wired in at most 120 lines', (t) => {
  const mains = files.filter((path) => /^(gateway|actors\/[a-z]+)\/main\.ts$/.test(path));
  t.equal(mains.length, 4);
  const long = mains.filter(
    (path) => readFileSync(join(root, path), 'utf8').split('\n').length > 121,
  );
  t.strictSame(long, []);
  t.end();
});
