// SQL, Lua and package.json are read from the source tree, also when the code runs from dist/.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The nearest parent folder with a `Procfile`; dist/ has none. */
export function findPackageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'Procfile'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('the package root was not found above the running code');
    folder = parent;
  }
  return folder;
}

/** The version in package.json, such as `0.1.0`. */
export function readVersion(): string {
  const text = readFileSync(join(findPackageRoot(), 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
