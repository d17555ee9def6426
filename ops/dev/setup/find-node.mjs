// Prints the folder of the Node that run.sh goes on with; an empty line is the installed Node. Where that one has no build of
// uWebSockets.js, a pinned Node is fetched into .node/, once. Without dependencies, for Node 18 and newer.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, findNpm, runGuarded } from './commands.mjs';
import { isInstallFresh } from './freshness.mjs';
import { withLock } from './lock.mjs';
import { chooseNode, describeNode } from './choose-node.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(dirname(here)));
/** A package of its own. As a dependency of Kasir, its `bin` would put a `node` before the machine's in every npm script. */
const FOLDER = join(root, '.node');

const findBinary = (name) => join(FOLDER, 'node_modules', name, 'bin/node');

/**
 * The package alone, as a dependency that must be installed: for optional ones, as in our lock file, `npm ci` answers success
 * also when the download failed or the hash was wrong.
 */
function writePackage(name, { version, integrity }) {
  const top = { name: 'kasir-node', private: true, dependencies: { [name]: version } };
  const packages = { '': top, [`node_modules/${name}`]: { version, integrity } };
  const lock = { lockfileVersion: 3, packages };
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), JSON.stringify(top));
  writeFileSync(join(FOLDER, 'package-lock.json'), JSON.stringify(lock));
}

/** npm notes what it has installed last, so an interrupted download does not count. */
function isComplete(name, { integrity }) {
  if (!existsSync(findBinary(name)) || !isInstallFresh(FOLDER)) return false;
  const { packages } = JSON.parse(readFileSync(join(FOLDER, 'package-lock.json'), 'utf8'));
  return packages[`node_modules/${name}`]?.integrity === integrity;
}

async function fetchNode(name, entry) {
  console.error(`kasir: fetching Node ${entry.version} (npm ci, about 50 MB) …`);
  writePackage(name, entry);
  const [command, ...before] = findNpm();
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const stdio = ['ignore', 2, 2];
  const options = { cwd: FOLDER, stdio };
  const status = await runGuarded(command, [...before, ...args], options).catch(() => null);
  const remedy = 'Connect this machine to the npm registry and start again, or install Node 22.';
  if (status !== 0 || !isComplete(name, entry)) {
    fail(
      `npm ci could not fetch ${name} ${entry.version}, a Node that can run Kasir; npm gave its reason above. ${remedy}`,
    );
  }
  const { stdout, stderr, error } = spawnSync(findBinary(name), ['-p', 'process.versions.node']);
  if (String(stdout).trim() === entry.version) return;
  rmSync(FOLDER, { recursive: true, force: true });
  const cause = String(error?.message ?? stderr).trim();
  fail(
    `Node ${entry.version} of ${name} does not run on this machine (${cause}). Install Node 22.`,
  );
}

/** The folder of the binary of the package `name`, which is fetched unless it is there. */
async function findOrFetch(name) {
  const { packages } = JSON.parse(readFileSync(join(here, 'node/package-lock.json'), 'utf8'));
  const entry = packages[`node_modules/${name}`];
  if (!isComplete(name, entry)) {
    await withLock(root, async () => {
      if (!isComplete(name, entry)) await fetchNode(name, entry);
    });
  }
  const { node } = process.versions;
  console.error(
    `kasir: Node ${node} has no build of uWebSockets.js; going on with Node ${entry.version}.`,
  );
  return dirname(findBinary(name));
}

const choice = chooseNode(describeNode());
if (choice.kind === 'refused') fail(choice.message);
console.log(choice.kind === 'fetched' ? await findOrFetch(choice.name) : '');
