// Finds programs on the PATH and installs Debian's packages, without dependencies.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const APT = '/usr/bin/apt-get';

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The path of the first of these programs that `isWanted` takes, or null. It looks in the folders of the PATH, then in `usual`.
 * @param {readonly string[]} names
 * @param {{ usual?: readonly string[], isWanted?: (path: string) => boolean }} [options]
 * @returns {string | null}
 */
export function findProgram(names, { usual = [], isWanted = () => true } = {}) {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const name of names) {
    const paths = [...onPath, ...usual].map((folder) => join(folder, name));
    const path = paths.find((file) => isExecutable(file) && isWanted(file));
    if (path) return path;
  }
  return null;
}

/** True as root on Debian and Ubuntu. */
export const canInstall = () => process.getuid?.() === 0 && existsSync(APT);

function apt(...args) {
  // RUNLEVEL=1 keeps a package from starting its own server on the default port.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const options = { env, stdio: ['ignore', 'ignore', 'inherit'] };
  return spawnSync(APT, ['-qq', '-y', ...args], options).status === 0;
}

/** Installs packages. The lists of packages are read again only if they do not know one of them. */
export function install(...packages) {
  const options = ['install', '--no-install-recommends', ...packages];
  return apt(...options) || (apt('update') && apt(...options));
}
