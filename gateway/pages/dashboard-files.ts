// The built dashboard (dist/gateway/web/dashboard, made by ops/dev/setup/build-dashboard.mjs): read once at start and kept
// in memory, plain and as it was compressed at build. Its names hold a hash of their content.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { type CachedFile, buildImmutableFile, serveFile } from './assets.js';
import type { Preferences } from '../routing/request.js';
import { type Answer, buildApiError } from '../routing/response.js';

const FOLDER = 'dist/gateway/web/dashboard';
const ENTRY = 'app/main.tsx';

/** An entry of Vite's manifest. */
interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
}
type Manifest = Readonly<Record<string, Chunk>>;

export interface DashboardFiles {
  /** Paths that the shell names: the first script, the scripts it imports, its style sheets. */
  readonly script: string;
  readonly imports: readonly string[];
  readonly styles: readonly string[];
  /** Answers a file by the last segment of its path. */
  serve(file: string, preferences: Preferences): Answer;
}

/** @throws when the dashboard was not built */
export function readDashboardFiles(root = join(findPackageRoot(), FOLDER)): DashboardFiles {
  const manifestPath = join(root, 'manifest.json');
  if (!existsSync(manifestPath)) {
    throw new Error(`the dashboard is not built in ${root}: run "npm run build"`);
  }
  const manifest = JSON.parse(readFileSync(manifestPath, 'utf8')) as Manifest;
  const files = readFiles(join(root, 'assets'));
  const chunks = listChunks(manifest, ENTRY);
  const [entry, ...imports] = chunks.map(({ file }) => `/dashboard/${file}`);
  if (entry === undefined) throw new Error(`the manifest of the dashboard has no ${ENTRY}`);
  return {
    script: entry,
    imports,
    styles: chunks.flatMap(({ css = [] }) => css.map((file) => `/dashboard/${file}`)),
    serve(name, preferences) {
      const file = files.get(name);
      return file === undefined ? buildApiError('path_not_found') : serveFile(file, preferences);
    },
  };
}

/** A chunk and those that it imports, each once. */
function listChunks(manifest: Manifest, name: string, seen = new Set<string>()): readonly Chunk[] {
  const chunk = manifest[name];
  if (chunk === undefined || seen.has(name)) return [];
  seen.add(name);
  return [chunk, ...(chunk.imports ?? []).flatMap((each) => listChunks(manifest, each, seen))];
}

function readFiles(folder: string): ReadonlyMap<string, CachedFile> {
  const names = readdirSync(folder).filter((name) => !/\.(gz|br)$/.test(name));
  return new Map(names.map((name) => [name, readBuiltFile(join(folder, name))]));
}

function readBuiltFile(path: string): CachedFile {
  const plain = readFileSync(path);
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, 12);
  const readIfMade = (file: string): Buffer | undefined =>
    existsSync(file) ? readFileSync(file) : undefined;
  const gzip = readIfMade(`${path}.gz`);
  return {
    ...buildImmutableFile(plain, extname(path), { hash, gzip }),
    brotli: readIfMade(`${path}.br`),
  };
}
