// Markdown names nothing that does not exist: links, headings, paths, npm scripts, tables and metrics. Commands of `kasir` are
// run in test/ops/cli/page-commands.test.ts.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { formatMoney } from '../actors/core/money.js';
import { FORMER_NAMES } from '../ops/runtime/metrics.js';
import { findPackageRoot } from '../ops/runtime/package-root.js';

const LINK = /\]\(([^)\s]+)\)/g;
const CODE = /```[^\n]*\n([\s\S]*?)```|`([^`\n]+)`/g;
const PATH = /^(?:gateway|actors|store|ops|bench|test|docs|examples)\/[\w./-]*\w\/?$/;
/** `NNNN` stands for any number. */
const PLACEHOLDER = /NNNN/;
const SOURCES = ['gateway', 'actors', 'store', 'ops'];

const root = findPackageRoot();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Files as git sees them; in an unpacked archive, the ones that are there. */
function listFiles(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  const paths =
    status === 0 ? stdout.split('\n') : readdirSync(root, { recursive: true, encoding: 'utf8' });
  const isMade = (path: string): boolean => /(^|\/)(node_modules|dist|\.data|\.tap)\//.test(path);
  return paths.filter((path) => !isMade(path) && existsSync(join(root, path)));
}

const documents = listFiles()
  .filter((path) => path.endsWith('.md'))
  .map((path) => ({ path, text: read(path) }));

const listCode = (text: string): string[] =>
  [...text.matchAll(CODE)].map(([, fenced, inline]) => fenced ?? inline ?? '');

/** The anchors that GitHub gives to the headings of a document. */
function listAnchors(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map((match) => match[1] ?? '');
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function isResolved(document: string, link: string): boolean {
  const [target = '', anchor] = link.split('#');
  const path = target === '' ? document : join(dirname(document), target);
  if (!existsSync(join(root, path))) return false;
  return anchor === undefined || listAnchors(read(path)).includes(anchor);
}

t.test('every relative link leads to a file, and to a heading of it', (t) => {
  const links = documents.flatMap(({ path, text }) =>
    [...text.matchAll(LINK)].map(([, link = '']) => ({ path, link })),
  );
  const relative = links.filter(({ link }) => !/^[a-z]+:/.test(link));
  t.ok(relative.length > 50, 'links were found');
  t.same(
    relative.filter(({ path, link }) => !isResolved(path, link)),
    [],
  );
  t.end();
});

t.test('amounts in rupiah are written as on the pages, with a space that does not break', (t) => {
  const readers = /^(?:README\.md|docs\/guides\/.*\.md|gateway\/routing\/error-help\.ts)$/;
  const amounts = listFiles()
    .filter((path) => readers.test(path))
    .flatMap((path) =>
      [...read(path).matchAll(/\bRp\s*[\d.,]*\d/g)].map(([amount]) => ({ path, amount })),
    );
  t.ok(amounts.length > 3, 'amounts were found');
  t.same(
    amounts.filter(({ amount }) => formatMoney(amount.replace(/\D/g, ''), 'IDR') !== amount),
    [],
  );
  t.end();
});

t.test('every path in code exists', (t) => {
  const paths = documents.flatMap(({ path, text }) =>
    listCode(text)
      .flatMap((code) => code.split(/[\s,;()]+/))
      .filter((word) => PATH.test(word) && !PLACEHOLDER.test(word))
      .map((word) => ({ path, word })),
  );
  t.ok(paths.length > 50, 'paths were found');
  t.same(
    paths.filter(({ word }) => !existsSync(join(root, word))),
    [],
  );
  t.end();
});

t.test('every page that a source cites is in the repository', (t) => {
  const sources = listFiles().filter((path) => /\.(ts|js|mjs|cjs|sql|lua|yml)$/.test(path));
  const cited = sources.flatMap((path) =>
    [...read(path).matchAll(/[\w/.-]*\w\.md\b/g)].map(([page]) => ({ path, page })),
  );
  t.ok(cited.length > 5, 'citations were found');
  t.same(
    cited.filter(({ page }) => !documents.some(({ path }) => `/${path}`.endsWith(`/${page}`))),
    [],
  );
  t.end();
});

t.test('every npm script in code exists', (t) => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const named = documents.flatMap(({ path, text }) =>
    listCode(text)
      .flatMap((code) => [...code.matchAll(/npm run ([\w:-]+)/g)])
      .map(([, script = '']) => ({ path, script })),
  );
  t.ok(named.length > 20, 'scripts were found');
  t.same(
    named.filter(({ script }) => scripts[script] === undefined),
    [],
  );
  t.end();
});

t.test('every table, metric and code of the pages for operators is in the sources', (t) => {
  const sources = SOURCES.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(ts|sql)$/.test(path))
      .map((path) => read(join(folder, path))),
  ).join('\n');
  const known = new Set(sources.match(/[a-z]+(?:_[a-z0-9]+)+/g));
  // Names of Postgres, of PgBouncer and of Prometheus.
  const foreign = new Set(['pg_dump', 'pg_stat_activity', 'runbook_url', 'server_login_retry']);
  // Sources name a metric without the prefix, and a role of Postgres with it.
  const isKnown = (name: string): boolean =>
    known.has(name) || known.has(name.replace(/^kasir_/, '')) || foreign.has(name);
  // These are about other programs.
  const others = /^(?:backup|deploy|midtrans|proxies|roles|xendit)\.md$|^platforms$/;
  const operations = readdirSync(join(root, 'docs/operations')).filter(
    (name) => !others.test(name),
  );
  const pages = [
    ...operations.map((name) => `docs/operations/${name}`),
    ...['docs/operator-tasks.md', 'docs/erasure.md'],
  ];
  const named = pages.flatMap((path) =>
    listCode(read(path)).flatMap(
      (code) => code.match(/(?<![\w-])[a-z]+(?:_[a-z0-9]+)+(?![\w…])/g) ?? [],
    ),
  );
  t.ok(named.length > 40, 'names were found');
  t.same(
    [...new Set(named)].filter((name) => !isKnown(name)),
    [],
  );
  t.end();
});

t.test('the list of decisions names every page, in order', (t) => {
  const pages = readdirSync(join(root, 'docs/decisions')).filter((name) => name !== 'README.md');
  const listed = [...read('docs/decisions/README.md').matchAll(/\((\d{4}-[a-z-]+\.md)\)/g)];
  t.same(
    listed.map(([, name]) => name),
    pages.sort(),
  );
  t.end();
});

t.test('README.md has at most 100 lines', (t) => {
  t.ok(read('README.md').trimEnd().split('\n').length <= 100);
  t.end();
});

t.test('bench/README.md has at most ten lines of prose for each bench', (t) => {
  const figures = read('bench/README.md').split('## How to read it')[0] ?? '';
  const benches = figures.split('\n### ').slice(1);
  t.ok(benches.length > 10, 'the benches were found');
  const long = benches.filter((bench) => {
    const [, ...lines] = bench.split('\n');
    return lines.filter((line) => /^[^|<]/.test(line)).length > 10;
  });
  t.same(
    long.map((bench) => bench.split('\n')[0]),
    [],
  );
  t.end();
});

/** They tell of the past, or run a version before. */
const KEEPS_FORMER_WORDS =
  /^(?:CHANGELOG\.md|docs\/decisions\/.*|store\/postgres\/schema\/.*|test\/slow\/upgrades\/.*)$/;
const TEXT = /\.(?:ts|tsx|js|mjs|cjs|sql|lua|md|yml|json|sh)$/;

t.test('no file has a word that the decision about names replaced', (t) => {
  const [, list = ''] = read('docs/decisions/0075-one-name-per-thing.md').split('Replaced words:');
  const words = [...(list.split('\n\n')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, word]) => word);
  t.ok(words.length > 4, 'the list was read');
  const replaced = new RegExp(words.join('|'), 'i');
  const metrics = new RegExp(Object.values(FORMER_NAMES).join('|'), 'g');
  const paths = listFiles().filter((path) => TEXT.test(path) && !KEEPS_FORMER_WORDS.test(path));
  t.ok(paths.length > 1_000, 'files were found');
  t.same(
    paths.filter((path) => replaced.test(read(path).replaceAll(metrics, ''))),
    [],
  );
  t.end();
});
