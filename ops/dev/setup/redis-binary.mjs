// Finds the Redis server of `npm start` and the tests. If there is none, it is installed with apt as root on Debian and
// Ubuntu; elsewhere one line says which command to run.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['redis-server', 'valkey-server'];
const USUAL_FOLDERS = ['/usr/bin', '/usr/local/bin', '/usr/sbin', '/opt/homebrew/bin'];
const OLDEST_MAJOR = 7;

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The path of a Redis or Valkey server of version 7.0 or newer, or null. */
export function findRedis() {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...USUAL_FOLDERS];
  for (const name of NAMES) {
    const path = folders
      .filter((folder) => folder !== '')
      .map((folder) => join(folder, name))
      .find((file) => isExecutable(file) && isNewEnough(file));
    if (path) return path;
  }
  return null;
}

function isNewEnough(path) {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  const major = /v=([0-9]+)\./.exec(stdout ?? '');
  return major !== null && Number(major[1]) >= OLDEST_MAJOR;
}

function apt(...args) {
  // RUNLEVEL=1 keeps the package from starting its own server on the default port.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const options = { env, stdio: ['ignore', 'ignore', 'inherit'] };
  return spawnSync('apt-get', ['-qq', '-y', ...args], options).status === 0;
}

/** Installs a server if there is none. Returns null, or the line to print. */
export function findOrInstallRedis() {
  if (findRedis() !== null) return null;
  const canInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (canInstall) {
    console.log('kasir: installing Redis (apt-get) …');
    apt('update');
    for (const name of NAMES) {
      if (apt('install', '--no-install-recommends', name) && findRedis() !== null) return null;
    }
    return 'Redis 7.0 or newer could not be installed; put redis-server or valkey-server on the PATH.';
  }
  const command =
    process.platform === 'darwin' ? 'brew install redis' : 'sudo apt-get install redis-server';
  return `Redis 7.0 or newer is needed (redis-server or valkey-server on the PATH). Type: ${command}`;
}
