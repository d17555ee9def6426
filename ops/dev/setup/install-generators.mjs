// Installs the generators of API clients into .generators/, for `npm run test:all`. As packages of Kasir, they would add 246 MB to
// every installation.
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNpm, runGuarded } from './commands.mjs';
import { isInstallFresh } from './freshness.mjs';

const here = dirname(fileURLToPath(import.meta.url));

/** Returns null, or the line to print. The test that needs them fails then. @param {string} root of the checkout */
export async function installGenerators(root) {
  const folder = join(root, '.generators');
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) {
    copyFileSync(join(here, 'generators', name), join(folder, name));
  }
  if (isInstallFresh(folder)) return null;
  console.log('kasir: installing generators of API clients (npm ci, about 250 MB) …');
  const [command, ...before] = findNpm();
  const args = [
    'ci',
    '--include=dev',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const options = { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] };
  await runGuarded(command, [...before, ...args], options).catch(() => null);
  return isInstallFresh(folder) ? null : 'npm ci could not install the generators of API clients.';
}
