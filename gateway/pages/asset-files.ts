// Reads the files that pages load: those of gateway/web, and the bundle of the interactive documentation, which the build
// copies from its package (ops/dev/setup/prepare.mjs).
import { readFileSync } from 'node:fs';
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
  'reference.js',
  'icon.svg',
  'mailed-link.js',
];
const BUNDLE = ['swagger-ui.css', 'swagger-ui-bundle.js'];
/** Inline pictures in the bundle's style sheet: the content security policy blocks them. */
const INLINE_PICTURE = /url\("data:(?:[^"\\]|\\.)*"\)|url\(data:[^)"]*\)/g;

/** Content by name. */
export function readAssetFiles(): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const name of OWN_FILES) {
    files.set(name, readFileSync(join(findPackageRoot(), 'gateway/web', name)));
  }
  const folder = join(findPackageRoot(), 'dist/gateway/web');
  for (const name of BUNDLE) files.set(name, prepare(name, readFileSync(join(folder, name))));
  return files;
}

function prepare(name: string, content: Buffer): Buffer {
  if (!name.endsWith('.css')) return content;
  return Buffer.from(content.toString('utf8').replace(INLINE_PICTURE, 'none'));
}
