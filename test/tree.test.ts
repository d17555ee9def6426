// The layout of ARCHITECTURE.md: a fixed top level, and no folder with more than twenty files.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
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
  /^(docs|examples|gateway|actors|store|ops|bench|test)$/,
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
