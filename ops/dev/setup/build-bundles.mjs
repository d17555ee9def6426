// Bundles each program into a folder of its own, dist/bundle/<program>/, with esbuild, from the compiler's output. A program
// then loads a few files instead of hundreds, and starts in a third of the CPU (docs/decisions/0054-bundled-programs.md).
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { build } from 'esbuild';
import { listFiles } from './freshness.mjs';

const OUTPUT = 'dist/bundle';

/** Loaded only while traces are on (docs/decisions/0083-traces.md). */
const TRACES = 'ops/runtime/tracing/otel';

/**
 * The entries of each program, from the package root and without their endings: first its main file, then each file that it
 * starts in a thread or loads late. `import.meta.resolve('./…')` is not rewritten, so that those files must be beside the main file.
 */
const PROGRAMS = {
  gateway: [
    'gateway/main',
    'gateway/auth/password-hash',
    'gateway/file-thread',
    'gateway/accounts/kyc/upload-thread',
    'ops/runtime/threads/thread-main',
    TRACES,
  ],
  payments: ['actors/payments/main', TRACES],
  rails: ['actors/rails/main', TRACES],
  webhooks: ['actors/webhooks/main', TRACES],
  kasir: ['ops/cli/main'],
  start: ['ops/dev/main'],
  'rail-simulator': ['ops/dev/rail-simulator/main'],
};

/**
 * A call of `kasir` loads one command of many, so that each is a file, and so is what several share. A process loads nearly
 * all of its program: with files that its entries share, the gateway took 11 % more CPU to start.
 */
const SPLIT = 'kasir';

/** For `npx kasir`: esbuild and the compiler write files that cannot be executed. */
const EXECUTABLE = 'kasir/main.js';

/** Packages with native code, and one that starts a file beside its own in each thread. */
const EXTERNAL = ['uWebSockets.js', '@node-rs/argon2', 'piscina'];

/** Packages in CommonJS call `require` for the modules of Node. */
const BANNER =
  "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);";

const RESOLVED_BESIDE = /import\.meta\.resolve\((['"])\.\/(.+?)\1\)/g;

export async function buildBundles(root) {
  const builds = Object.entries(PROGRAMS).map(([program, entries]) =>
    build({
      absWorkingDir: root,
      entryPoints: entries.map((path) => `dist/${path}.js`),
      outdir: join(OUTPUT, program),
      ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20.12' },
      splitting: program === SPLIT,
      ...{ entryNames: '[name]', sourcemap: true, sourcesContent: false },
      external: EXTERNAL,
      banner: { js: BANNER },
      ...{ write: false, logLevel: 'warning' },
    }),
  );
  const outputFiles = (await Promise.all(builds)).flatMap((built) => built.outputFiles);
  const texts = new Map(outputFiles.map(({ path, text }) => [path, text]));
  checkEntries(root, texts);
  for (const [path, text] of texts) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, path.endsWith('.map') ? shortenMap(text) : text);
  }
  chmodSync(join(root, OUTPUT, EXECUTABLE), 0o755);
  // Only now, because processes that run load the files of their threads late.
  for (const path of listFiles(join(root, OUTPUT), () => true)) if (!texts.has(path)) rmSync(path);
}

/** A file that is missing beside the main file would fail at the first job of its thread. */
function checkEntries(root, texts) {
  for (const [path, text] of texts) {
    for (const [, , name] of path.endsWith('.js') ? text.matchAll(RESOLVED_BESIDE) : []) {
      if (texts.has(join(dirname(path), name))) continue;
      const file = path.slice(root.length + 1);
      throw new Error(
        `${file} resolves ./${name}, which is no entry of its program; add it to PROGRAMS in ops/dev/setup/build-bundles.mjs`,
      );
    }
  }
}

/**
 * Node decodes a whole map at the first stack, on the event loop, and keeps it: 56 ms and 24 MiB in payments, 174 ms and 57 MiB
 * in the gateway. Without packages, and with lines instead of columns, it takes 10 ms and 3 MiB, 25 ms and 10 MiB. A line of a
 * package is shown as a line of the bundle.
 */
function shortenMap(text) {
  const { version, sources, mappings } = JSON.parse(text);
  const own = sources.filter((source) => !isPackage(source));
  const numbers = sources.map((source) => own.indexOf(source));
  let isMapped = false;
  const lines = decode(mappings).map((segments) => {
    const kept = [];
    let lastPlace;
    for (const [column, source, line, sourceColumn] of segments) {
      const number = numbers[source];
      const place = `${number} ${line}`;
      if (number >= 0 && place !== lastPlace) kept.push([column, number, line, sourceColumn]);
      // Ends the mapping of our own code before it.
      else if (number < 0 && isMapped) kept.push([column]);
      isMapped = number >= 0;
      lastPlace = isMapped ? place : undefined;
    }
    return kept;
  });
  return JSON.stringify({ version, sources: own, names: [], mappings: encode(lines) });
}

const isPackage = (source) => source.includes('/node_modules/');
