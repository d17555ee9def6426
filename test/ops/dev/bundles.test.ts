// The bundles of dist/bundle/: a stack in a log names the line of the source, and bundling changes nothing that code reads.
import { readdirSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { runKasir } from '#test/support/kasir.js';
import { prepareProcess } from '#test/support/processes.js';
import { makeFolder } from '#test/support/servers.js';

const NAMES = ['gateway', 'payments', 'rails', 'webhooks'] as const;

/** Throws where a process begins to listen for its metrics, which is the first thing that it does with a log. */
const THROWN = 'thrown by the test';
const HOOK = `
  import { Server } from 'node:net';
  Server.prototype.listen = () => { throw new Error('${THROWN}'); };`;

/** Nothing listens there; the process ends before it connects. */
const VARIABLES = {
  REDIS_URL: 'redis://127.0.0.1:1',
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(HOOK)}`,
};

const root = findPackageRoot();

/** `ops/runtime/metrics.ts:210`: the only line of the file that contains `text`. */
function findLine(path: string, text: string): string {
  const lines = readFileSync(join(root, path), 'utf8').split('\n');
  const number = lines.findIndex((line) => line.includes(text)) + 1;
  if (number === 0) throw new Error(`${path} has no line with ${text}`);
  return `${path}:${number}`;
}

t.test('an error in a bundled process is logged with the lines of the sources', async (t) => {
  for (const name of NAMES) {
    const failing = await prepareProcess(t, name, VARIABLES);
    await t.rejects(failing.start(), name);
    const stack = await waitUntil(`${name} logs the error`, () => {
      const errors = failing.logs().map(({ err }) => err as { stack: string } | undefined);
      return errors.find((err) => err?.stack.includes(THROWN))?.stack;
    });
    const main = name === 'gateway' ? 'gateway/main.ts' : `actors/${name}/main.ts`;
    t.match(stack, `${join(root, findLine('ops/runtime/metrics.ts', 'server.listen({'))}:`);
    t.match(stack, `${join(root, findLine('ops/runtime/process.ts', 'await startMetrics('))}:`);
    t.match(stack, `${join(root, findLine(main, `await startProcess('${name}'`))}:`);
  }
});

const listScripts = (): string[] =>
  readdirSync(join(root, 'dist/bundle'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js'))
    .map((path) => join(root, 'dist/bundle', path));

/** The lines of a bundle that map to another file than that of their module, which esbuild names in a comment. */
function findMisplaced(path: string): string[] {
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')) as SourceMapPayload);
  let source: string | undefined;
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      const [, folder, module = ''] =
        /^\/\/ (node_modules|dist)\/(.*\.(?:[cm]?js|json))$/.exec(line) ?? [];
      if (folder !== undefined)
        source = folder === 'dist' ? module.replace(/\.js$/, '.ts') : undefined;
      const entry = map.findEntry(index, line.length);
      const found = 'originalSource' in entry ? entry.originalSource : undefined;
      const isRight = source === undefined ? found === undefined : found?.endsWith(`/${source}`);
      return isRight === true || !line.startsWith('  ') ? [] : [`${path}:${index + 1} ${found}`];
    });
}

t.test('each line of a bundle maps to its own source file, or to none in a package', (t) => {
  const scripts = listScripts();
  t.ok(scripts.length > NAMES.length);
  t.strictSame(
    scripts.flatMap((path) => findMisplaced(path).slice(0, 3)),
    [],
  );
  t.end();
});

t.test(
  'the SDK of traces is in a file of its own, which nothing loads while they are off',
  async (t) => {
    for (const name of NAMES) {
      const folder = join(root, 'dist/bundle', name);
      const readScript = (file: string): string => readFileSync(join(folder, file), 'utf8');
      const hasSdk = (file: string): boolean =>
        /^\/\/ node_modules\/@opentelemetry\/(?!api\/)/m.test(readScript(file));
      const scripts = readdirSync(folder).filter((file) => file.endsWith('.js'));
      t.strictSame(scripts.filter(hasSdk), ['otel.js'], name);
      t.equal(readScript('main.js').match(/otel\.js/g)?.length, 1, 'one place loads it');
      const off = await listLoaded(t, name, {});
      t.match(off, /main\.js$/m);
      t.notMatch(off, /otel\.js$/m, `${name} without an address`);
      const address = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
      t.match(await listLoaded(t, name, address), /otel\.js$/m, `${name} with an address`);
      t.notMatch(
        await listLoaded(t, name, { ...address, OTEL_SDK_DISABLED: 'true' }),
        /otel\.js$/m,
      );
    }
  },
);

t.test('a call of kasir loads the command that is called, and no other', async (t) => {
  const { file, variables } = noteLoaded(t);
  t.match(await runKasir(variables, 'dlq', '--help'), { code: 0, stderr: '' });
  const loaded = readFileSync(file, 'utf8');
  t.match(loaded, /\/dlq-[A-Z0-9]+\.js$/m);
  t.notMatch(loaded, /\/(?:doctor|ledger|admin)-[A-Z0-9]+\.js$/m);
});

/** Variables of a process that notes in `file` each module that it loads, a line each. */
function noteLoaded(t: Test): { file: string; variables: { NODE_OPTIONS: string } } {
  const file = join(makeFolder(t), 'loaded');
  const hook = `
    import { appendFileSync } from 'node:fs';
    export const load = (url, context, next) => {
      appendFileSync(${JSON.stringify(file)}, url + '\\n');
      return next(url, context);
    };`;
  const source = `
    import { register } from 'node:module';
    register('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(hook))});`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(source)}`;
  return { file, variables: { NODE_OPTIONS } };
}

/** The modules that a process has loaded when it finds no Postgres. */
async function listLoaded(
  t: Test,
  name: (typeof NAMES)[number],
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const { file, variables: noting } = noteLoaded(t);
  const ending = await prepareProcess(t, name, { ...VARIABLES, ...variables, ...noting });
  await t.rejects(ending.start(), 'it ends without Postgres');
  return readFileSync(file, 'utf8');
}

/** The names of errors that code compares or logs. esbuild gives a class another name when two modules use one. */
function listErrorNames(): string[] {
  const sources = ['gateway', 'actors', 'store', 'ops'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => readFileSync(join(root, folder, path), 'utf8')),
  );
  const own = sources.flatMap((text) =>
    [...text.matchAll(/class (\w+) extends \w*Error\b/g)].map(([, name = '']) => name),
  );
  return [...own, 'ReplyError', 'PostgresError'];
}

t.test('classes of errors keep their names', (t) => {
  const names = listErrorNames();
  t.ok(names.length > 10);
  const renamed = new RegExp(
    `\\bclass (_(${names.join('|')})\\d*|(${names.join('|')})\\d+)\\b`,
    'g',
  );
  for (const path of listScripts()) {
    const found = [...readFileSync(path, 'utf8').matchAll(renamed)].map(([text]) => text);
    t.strictSame(found, [], path.slice(root.length + 1));
  }
  t.end();
});
