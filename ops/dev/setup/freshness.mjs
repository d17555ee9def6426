// Decides whether the installed packages and the build match the sources. It compares contents, never times, so that a
// fresh clone, another branch and a deleted file all give the right result.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE_FOLDERS = ['gateway', 'actors', 'store', 'ops', 'bench', 'examples', 'test'];
const SOURCE = /\.(ts|tsx|css|js|mjs)$/;
const OUTPUT = /\.m?js(\.map)?$/;
/** The compiler does not write these folders: build-dashboard.mjs and build-bundles.mjs remove their own old files. */
const BUNDLED = ['dist/gateway/web/dashboard/', 'dist/bundle/'];

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

function isSame(wanted, found) {
  return found && found.version === wanted.version && found.integrity === wanted.integrity;
}

/**
 * npm writes node_modules/.package-lock.json last. The install is fresh when that file holds every package of the lock
 * file (optional ones may belong to other platforms) and no other.
 */
export function isInstallFresh(root) {
  const wanted = readJson(join(root, 'package-lock.json'))?.packages;
  const found = readJson(join(root, 'node_modules/.package-lock.json'))?.packages;
  if (!wanted || !found) return false;
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '' || (entry.optional && !found[path])) continue;
    if (!isSame(entry, found[path])) return false;
  }
  return Object.keys(found).every((path) => isSame(wanted[path] ?? {}, found[path]));
}

export function listFiles(folder, isWanted, into = []) {
  if (!existsSync(folder)) return into;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) listFiles(path, isWanted, into);
    else if (isWanted(path)) into.push(path);
  }
  return into;
}

/** A hash over the path and content of every file that the build reads. */
export function hashSources(root) {
  const files = SOURCE_FOLDERS.flatMap((folder) =>
    listFiles(join(root, folder), (path) => SOURCE.test(path)),
  ).sort();
  const hash = createHash('sha256');
  for (const path of [join(root, 'tsconfig.json'), join(root, 'package-lock.json'), ...files]) {
    const content = readFileSync(path);
    hash.update(`${path.slice(root.length)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** Fresh: built from these sources, and no output was deleted or truncated since. */
export function isBuildFresh(root, hash) {
  const path = join(root, 'dist/.build-hash');
  if (!existsSync(path)) return false;
  const [built, count] = readFileSync(path, 'utf8').split(' ');
  return built === hash && Number(count) === countOutput(root);
}

export function recordBuild(root, hash) {
  writeFileSync(join(root, 'dist/.build-hash'), `${hash} ${countOutput(root)}`);
}

function countOutput(root) {
  return listFiles(join(root, 'dist'), (path) => OUTPUT.test(path) && statSync(path).size > 0)
    .length;
}

function sourceOf(output) {
  return output.replace(/\.map$/, '').replace(/\.js$/, '.ts');
}

/**
 * Removes output without a source. If output is missing, it also removes the compiler's own record, which would claim
 * that nothing has to be written.
 */
export function pruneOutput(root) {
  const dist = join(root, 'dist');
  for (const path of listFiles(dist, (file) => OUTPUT.test(file))) {
    if (BUNDLED.some((folder) => path.startsWith(join(root, folder)))) continue;
    if (!existsSync(join(root, sourceOf(path.slice(dist.length + 1))))) rmSync(path);
  }
  const sources = SOURCE_FOLDERS.flatMap((folder) =>
    listFiles(join(root, folder), (file) => /(?<!\.d)\.ts$/.test(file)),
  ).filter((path) => !path.startsWith(join(root, 'gateway/web/')));
  const isComplete = sources.every((path) =>
    existsSync(join(dist, path.slice(root.length + 1).replace(/\.ts$/, '.js'))),
  );
  if (!isComplete) rmSync(join(dist, '.tsbuildinfo'), { force: true });
}
