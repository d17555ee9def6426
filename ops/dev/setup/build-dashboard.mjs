// Builds the dashboard with Vite, and compresses its files with gzip and Brotli for the gateway.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { listFiles } from './freshness.mjs';

const SOURCES = 'gateway/web/dashboard';
const OUTPUT = 'dist/gateway/web/dashboard';
/** The versions of the packages that the bundle contains. */
const SHARED = ['package-lock.json'];
const COMPRESSED = /\.(js|css|svg)$/;
/** Compression saves nothing below this size. */
const MIN_COMPRESSED_BYTES = 1024;

function hashSources(root) {
  const own = listFiles(join(root, SOURCES), (path) => !path.endsWith('.md')).sort();
  const hash = createHash('sha256');
  for (const path of [...SHARED.map((name) => join(root, name)), ...own]) {
    hash.update(`${path.slice(root.length)}\0`).update(readFileSync(path));
  }
  return hash.digest('hex');
}

const recordOf = (root) => join(root, OUTPUT, '.build-hash');

/** Fresh: built from these sources, and no output was deleted since. */
function isFresh(root, hash) {
  const record = recordOf(root);
  if (!existsSync(record)) return false;
  const { built, files } = JSON.parse(readFileSync(record, 'utf8'));
  return built === hash && files.every((path) => existsSync(join(root, OUTPUT, path)));
}

export async function buildDashboard(root) {
  const hash = hashSources(root);
  if (isFresh(root, hash)) return;
  rmSync(join(root, OUTPUT), { recursive: true, force: true });
  const { build } = await import('vite');
  await build({ configFile: join(root, SOURCES, 'vite.config.mjs'), logLevel: 'warn' });
  compress(join(root, OUTPUT, 'assets'));
  const files = listFiles(join(root, OUTPUT), () => true).map((path) =>
    path.slice(join(root, OUTPUT).length + 1),
  );
  writeFileSync(recordOf(root), JSON.stringify({ built: hash, files }));
}

function compress(folder) {
  for (const name of readdirSync(folder).filter((each) => COMPRESSED.test(each))) {
    const content = readFileSync(join(folder, name));
    if (content.length < MIN_COMPRESSED_BYTES) continue;
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content, { params }));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
  }
}
