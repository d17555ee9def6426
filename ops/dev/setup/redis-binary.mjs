// Finds the Redis server of `npm start` and the tests. If there is none, it is installed with apt as root on Debian and
// Ubuntu; elsewhere one line says which command to run.
import { spawnSync } from 'node:child_process';
import { canInstall, findProgram, install } from './debian.mjs';

const NAMES = ['redis-server', 'valkey-server'];
const USUAL_FOLDERS = ['/usr/bin', '/usr/local/bin', '/usr/sbin', '/opt/homebrew/bin'];
const OLDEST_MAJOR = 7;

/** The path of a Redis or Valkey server of version 7.0 or newer, or null. */
export const findRedis = () => findProgram(NAMES, { usual: USUAL_FOLDERS, isWanted: isNewEnough });

function isNewEnough(path) {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  const major = /v=([0-9]+)\./.exec(stdout ?? '');
  return major !== null && Number(major[1]) >= OLDEST_MAJOR;
}

/** Installs a server if there is none. Returns null, or the line to print. */
export function findOrInstallRedis() {
  if (findRedis() !== null) return null;
  if (canInstall()) {
    console.log('kasir: installing Redis (apt-get) …');
    for (const name of NAMES) {
      if (install(name) && findRedis() !== null) return null;
    }
    return 'Redis 7.0 or newer could not be installed; put redis-server or valkey-server on the PATH.';
  }
  const command =
    process.platform === 'darwin' ? 'brew install redis' : 'sudo apt-get install redis-server';
  return `Redis 7.0 or newer is needed (redis-server or valkey-server on the PATH). Type: ${command}`;
}
