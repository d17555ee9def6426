// The scripts that the first views of the dashboard load, from the manifest of its build: the files of each view and all that
// they import. dashboard.test.ts limits their size, and home.test.ts compares them with what a browser loads.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findPackageRoot } from '#ops/runtime/package-root.js';

interface Chunk {
  readonly file: string;
  readonly name?: string;
  readonly src?: string;
  readonly isDynamicEntry?: boolean;
  readonly imports?: readonly string[];
}
type Manifest = Readonly<Record<string, Chunk>>;

const ENTRY = 'app/main.tsx';
export const VIEWS = {
  signIn: [ENTRY, 'areas/accounts/login/sign-in.tsx'],
  home: [ENTRY, 'areas/money/home/home-view.tsx'],
} as const;

/** The names of the files, each once. */
export function listScripts(sources: readonly string[]): readonly string[] {
  const path = join(findPackageRoot(), 'dist/gateway/web/dashboard/manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  const found = new Set<Chunk>();
  const add = (name: string): void => {
    const chunk = findChunk(manifest, name);
    if (found.has(chunk)) return;
    found.add(chunk);
    chunk.imports?.forEach(add);
  };
  sources.forEach(add);
  return [...found].map(({ file }) => file.replace('assets/', ''));
}

/** A file from which another one imports has the name of its chunk, and no path, in the manifest. */
function findChunk(manifest: Manifest, name: string): Chunk {
  const shared = ({ name: own, src, isDynamicEntry }: Chunk): boolean =>
    isDynamicEntry === true && src === undefined && own === basename(name, '.tsx');
  const chunk = manifest[name] ?? Object.values(manifest).find(shared);
  if (chunk === undefined) throw new Error(`the manifest of the dashboard has no ${name}`);
  return chunk;
}
