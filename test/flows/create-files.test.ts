// The files that a create runs through, measured at real processes, are those that ARCHITECTURE.md lists step by step, and
// small functions whose names say what they return. A new layer fails here, and so does a file that no create needs.
// Processes run the compiler's output, which has a file for each source file.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import t from 'tap';
import { type RunningProcess, uniqueWord } from '../support/processes.js';
import { makeFolder } from '../support/servers.js';
import { startServingService } from '../support/serving.js';

/** Files that the table leaves out: the steps share their functions, which answer one question each, or count and log. */
const SMALL = [
  'actors/core/card-data.ts',
  'actors/core/hidden-characters.ts',
  'actors/core/ids.ts',
  'actors/core/keyed-hash.ts',
  'actors/core/money.ts',
  'actors/core/partition.ts',
  'actors/core/payment-methods.ts',
  'actors/core/payment/due.ts',
  'actors/core/payment/outcome.ts',
  'actors/core/payment/state.ts',
  'actors/core/payment/wire/codec.ts',
  'actors/core/payment/wire/fields.ts',
  'actors/core/rails/live-gate.ts',
  'actors/core/rails/sandbox.ts',
  'actors/core/requests/sent-texts.ts',
  'actors/payments/loop-metrics.ts',
  'actors/payments/stored-decisions.ts',
  'actors/payments/stream-clock.ts',
  'gateway/http/api-log.ts',
  'gateway/http/interim-answer.ts',
  'gateway/http/request-metrics.ts',
  'gateway/http/request-span.ts',
  'gateway/routing/request.ts',
  'gateway/routing/response.ts',
  'ops/runtime/batch-size.ts',
  'ops/runtime/clock.ts',
  'ops/runtime/deadline.ts',
  'ops/runtime/slots.ts',
  'store/postgres/client.ts',
  'store/postgres/payments/commit-columns.ts',
  'store/postgres/limited-query.ts',
  'store/postgres/migration/partition-count.ts',
  'store/postgres/payments/frame-version.ts',
  'store/redis/api-log-page.ts',
  'store/redis/client.ts',
  'store/redis/frames.ts',
  'store/redis/keys.ts',
  'store/redis/pipelines.ts',
  'store/redis/server-watch.ts',
  // The wiring: clocks that are passed on.
  'actors/payments/main.ts',
  'gateway/main.ts',
  'gateway/limits/start-limits.ts',
];

/** The most files that run for a create, without the small ones. */
const MAX_FILES = 30;
const STEPS = 8;

/** A function of a create is called by each of them. Background work is called less often, in one round or another. */
const CREATES_A_ROUND = 5;
const MIN_ROUNDS = 5;
const MAX_ROUNDS = 100;

/**
 * Each SIGUSR2 begins a round or ends it. At its end the functions, as `<path> <place>`, are printed that were called in it
 * often enough. During a round no timer fires: a create waits for none, and background loops, which do, are no part of it,
 * however long a slow machine takes.
 */
const HOOK = `
  import { Session } from 'node:inspector';
  const { setTimeout: start, clearTimeout: stop, setInterval: repeat } = globalThis;
  const held = new Map();
  let isRound = false;
  const hold = (timer, onOver) => isRound ? held.set(timer, onOver) : onOver();
  globalThis.setTimeout = Object.assign((onOver, ms, ...words) => {
    const timer = start(() => hold(timer, () => onOver(...words)), ms);
    return timer;
  }, start);
  globalThis.setInterval = Object.assign((onOver, ms, ...words) => {
    const timer = repeat(() => hold(timer, () => onOver(...words)), ms);
    return timer;
  }, repeat);
  globalThis.clearTimeout = globalThis.clearInterval = (timer) => {
    held.delete(timer);
    stop(timer);
  };
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  process.on('SIGUSR2', () => {
    session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      const called = result.flatMap(({ url, functions }) => {
        const [, path] = /[/]dist[/]((?:actors|gateway|ops|store)[/].*)[.]js$/.exec(url) ?? [];
        const used = path === undefined ? [] : functions.filter(({ ranges }) => ranges[0].count >= ${CREATES_A_ROUND});
        return used.map(({ ranges }) => path + '.ts ' + ranges[0].startOffset);
      });
      console.log(JSON.stringify({ called }));
      isRound = !isRound;
      const late = isRound ? [] : [...held.values()];
      if (!isRound) held.clear();
      for (const onOver of late) onOver();
    });
  });`;

const PAYMENT = { amount: '150000', payment_method: 'QRIS', reference_id: 'order-1' };

const root = findPackageRoot();
const architecture = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
const hook = join(makeFolder(t), 'hook.mjs');
writeFileSync(hook, HOOK);
const { api, gateways, payments } = await startServingService(t, {
  build: 'compiled',
  variables: {
    NODE_OPTIONS: `--import=${pathToFileURL(hook).href}`,
    RATE_LIMIT_KEY: '10000',
    // Background loops go through all partitions.
    PARTITIONS: '1',
    // No lease is renewed in a round.
    LEASE_MS: '60000',
  },
});

const listPrints = (process: RunningProcess): readonly (readonly string[])[] =>
  process.logs().flatMap(({ called }) => (Array.isArray(called) ? [called as string[]] : []));

/** Begins or ends a round; returns the functions that the process has called since the last time. */
function readCalled(process: RunningProcess): Promise<readonly string[]> {
  const before = listPrints(process).length;
  process.signal('SIGUSR2');
  return waitUntil('the calls are printed', () => listPrints(process)[before]);
}

const readAllCalled = async (): Promise<readonly string[]> =>
  (await Promise.all([...gateways, ...payments].map(readCalled))).flat();

/** The functions that each of some creates calls. */
async function measureRound(): Promise<ReadonlySet<string>> {
  await readAllCalled();
  for (let count = 0; count < CREATES_A_ROUND; count += 1) {
    const { status } = await api.create(PAYMENT, uniqueWord());
    if (status !== 201) throw new Error(`a create was answered ${status}`);
  }
  return new Set(await readAllCalled());
}

/** The files of these functions. Rounds are repeated while a file is not among the expected ones. */
async function measureFiles(expected: readonly string[]): Promise<readonly string[]> {
  let called = [...(await measureRound())];
  const listFiles = (): string[] => [...new Set(called.map((name) => name.replace(/ .*$/, '')))];
  const isExpected = (): boolean => listFiles().every((path) => expected.includes(path));
  for (let count = 1; count < (isExpected() ? MIN_ROUNDS : MAX_ROUNDS); count += 1) {
    const again = await measureRound();
    called = called.filter((name) => again.has(name));
  }
  return listFiles().sort();
}

/** ARCHITECTURE.md says how many files a create runs through. */
const COUNTS = /The table names (\d+) files\. A create also runs functions of (\d+) files/;

/** The files of each step in the table "The path of a payment". */
function listSteps(): readonly (readonly string[])[] {
  const rows = architecture.split('\n').filter((line) => /^\| \d\. /.test(line));
  return rows.map((row) => [...row.matchAll(/`([^`]+\.ts)`/g)].map(([, path]) => String(path)));
}

t.test('a create runs through the listed files', async (t) => {
  const steps = listSteps();
  const files = [...new Set(steps.flat())].sort();
  const listed = [...files, ...SMALL];
  const measured = await measureFiles(listed);
  t.equal(steps.filter(({ length }) => length > 0).length, STEPS, 'the table was found');
  t.strictSame(COUNTS.exec(architecture)?.slice(1), [String(files.length), String(SMALL.length)]);
  t.ok(files.length <= MAX_FILES, `${files.length} files are at most ${MAX_FILES}`);
  t.strictSame(
    files.filter((path) => SMALL.includes(path)),
    [],
    'no file is in both lists',
  );
  t.strictSame(
    measured.filter((path) => !listed.includes(path)),
    [],
    'each file that runs is listed',
  );
  t.strictSame(
    listed.filter((path) => !measured.includes(path)),
    [],
    'each listed file runs',
  );
});
