// Reads the files that pages load: those of gateway/web, and those of the interactive reference, which the build makes
// (ops/dev/setup/build-reference.mjs).
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPackageRoot } from '#ops/runtime/package-root.js';

const OWN_FILES = [
  'checkout.css',
  'checkout.js',
  'entry.css',
  'invoice.css',
  'docs.css',
  'docs.js',
  'reference.css',
  'icon.svg',
  'preview.png',
  'mailed-link.js',
];
const BUILT_FILES = ['reference.js', 'swagger-ui.css', 'swagger-ui-bundle.js'];
const OWN_FOLDER = 'gateway/web';
const BUILT_FOLDER = 'dist/gateway/web';

/** Content by name. */
export function readAssetFiles(): ReadonlyMap<string, Buffer> {
  const read = (folder: string) => (name: string) =>
    [name, readFileSync(join(findPackageRoot(), folder, name))] as const;
  return new Map([...OWN_FILES.map(read(OWN_FOLDER)), ...BUILT_FILES.map(read(BUILT_FOLDER))]);
}

/** The files that the build compressed with Brotli, by the name of their content. */
export function readBrotliFiles(): ReadonlyMap<string, Buffer> {
  const paths = BUILT_FILES.map(
    (name) => [name, join(findPackageRoot(), BUILT_FOLDER, `${name}.br`)] as const,
  ).filter(([, path]) => existsSync(path));
  return new Map(paths.map(([name, path]) => [name, readFileSync(path)]));
}
