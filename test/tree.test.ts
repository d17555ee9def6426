// The layout of ARCHITECTURE.md: a fixed top level, no folder with more than twenty files, and imports that point one way.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { findPackageRoot } from '../ops/runtime/package-root.js';
import { countLayers, countPairs, findRings, groupImports, readImports } from './import-graph.js';

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
  const modules = files.filter((path) => path.endsWith('.ts'));
  t.ok(modules.length > 0);
  t.same(
    modules.filter((path) => /(^|\/)(utils?|helpers?|common|types)\.ts$/.test(path)),
    [],
  );
  t.end();
});

const sources = files.filter((path) =>
  /^(gateway|actors|store|ops)\/.*\.(ts|tsx|m?js)$/.test(path),
);
const imports = readImports(root, sources);

t.test('no files import each other in a ring', (t) => {
  t.ok(countPairs(imports) > 3_000);
  t.strictSame(findRings(imports), []);
  t.end();
});

t.test('no folders import each other in a ring', (t) => {
  t.strictSame(findRings(groupImports(imports, dirname)), []);
  t.end();
});

const isInGateway = (path: string): boolean => /^gateway\/(?!web\/)/.test(path);
const gateway = new Map(
  [...imports]
    .filter(([from]) => isInGateway(from))
    .map(([from, paths]) => [from, new Set([...paths].filter(isInGateway))]),
);
/** `gateway/money` of `gateway/money/refunds/list.ts`, and `gateway` of a file that is in no folder. */
const findWing = (path: string): string => dirname(path).split('/').slice(0, 2).join('/');

t.test('the gateway has few wings, which import each other one way', (t) => {
  const wings = groupImports(gateway, findWing);
  t.ok(wings.has('gateway/money') && wings.size <= 24, `${wings.size} wings`);
  t.strictSame(findRings(wings), []);
  t.ok(countPairs(wings) <= 110, `${countPairs(wings)} pairs of wings`);
  t.ok(countLayers(wings) <= 10, `${countLayers(wings)} layers of wings`);
  t.end();
});

t.test('the folders inside the wings import few others', (t) => {
  const folders = groupImports(gateway, dirname);
  t.ok(countPairs(folders) <= 180, `${countPairs(folders)} pairs of folders`);
  t.ok(countLayers(folders) <= 10, `${countLayers(folders)} layers of folders`);
  t.end();
});

t.test('a ring of any length is found', (t) => {
  const graph = new Map([
    ['a', new Set(['b'])],
    ['b', new Set(['c', 'd'])],
    ['c', new Set(['a'])],
    ['d', new Set(['e'])],
    ['e', new Set<string>()],
  ]);
  t.strictSame(findRings(graph), [['a', 'b', 'c']]);
  t.equal(countPairs(graph), 5);
  t.equal(countLayers(new Map([...graph, ['c', new Set<string>()]])), 4);
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
