// Finds the browser of the tests. If there is none, it is installed with apt as root on Debian; elsewhere the browser
// tests report that they were skipped and how to install one.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first one is the same engine without the browser's own windows: a story takes 51 s of CPU in it, and 69 in the others. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];
const USUAL_FOLDERS = [
  '/usr/bin',
  '/usr/local/bin',
  '/snap/bin',
  '/Applications/Google Chrome.app/Contents/MacOS',
];

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The path of a Chromium or Chrome, or null. */
export function findChromium() {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...USUAL_FOLDERS];
  for (const name of [...NAMES, 'Google Chrome']) {
    const path = folders
      .filter((folder) => folder !== '')
      .map((folder) => join(folder, name))
      .find(isExecutable);
    if (path) return path;
  }
  return null;
}

function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { env, stdio: ['ignore', 'ignore', 'inherit'] };
  return spawnSync('apt-get', ['-qq', '-y', ...args], options).status === 0;
}

/** Ubuntu's package of that name links to a snap, which containers cannot run. */
function isDebian() {
  const { stdout } = spawnSync('sh', ['-c', '. /etc/os-release && echo "$ID"'], {
    encoding: 'utf8',
  });
  return (stdout ?? '').trim() === 'debian' && existsSync('/usr/bin/apt-get');
}

/** True when the set-up can install a browser. */
export function canInstallChromium() {
  return process.getuid?.() === 0 && isDebian();
}

/** Installs a browser if there is none. Returns null, or the line to print. */
export function findOrInstallChromium() {
  if (findChromium() !== null) return null;
  if (canInstallChromium()) {
    console.log('kasir: installing Chromium for the browser tests (apt-get) …');
    apt('update');
    const install = (name) => apt('install', '--no-install-recommends', name, 'fonts-liberation');
    // Older releases have no package of the shell alone.
    if (!install('chromium-headless-shell')) install('chromium');
    if (findChromium() !== null) return null;
  }
  return 'no Chromium or Chrome was found: the browser tests are left out. Put chromium on the PATH to have them.';
}
