// Finds the browser of the tests. If there is none, it is installed with apt as root on Debian; elsewhere the browser
// tests report that they were skipped and how to install one.
import { spawnSync } from 'node:child_process';
import { canInstall, findProgram, install } from './debian.mjs';

/** The first one is the same engine without the browser's own windows: a story takes 51 s of CPU in it, and 69 in the others. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'Google Chrome',
];
const USUAL_FOLDERS = [
  '/usr/bin',
  '/usr/local/bin',
  '/snap/bin',
  '/Applications/Google Chrome.app/Contents/MacOS',
];

/** The path of a Chromium or Chrome, or null. */
export const findChromium = () => findProgram(NAMES, { usual: USUAL_FOLDERS });

/** Ubuntu's package of that name links to a snap, which containers cannot run. */
function isDebian() {
  const { stdout } = spawnSync('sh', ['-c', '. /etc/os-release && echo "$ID"'], {
    encoding: 'utf8',
  });
  return (stdout ?? '').trim() === 'debian';
}

/** True when the set-up can install a browser. */
export const canInstallChromium = () => canInstall() && isDebian();

/** Installs a browser if there is none. Returns null, or the line to print. */
export function findOrInstallChromium() {
  if (findChromium() !== null) return null;
  if (canInstallChromium()) {
    console.log('kasir: installing Chromium for the browser tests (apt-get) …');
    // Older releases have no package of the shell alone.
    if (!install('chromium-headless-shell', 'fonts-liberation')) {
      install('chromium', 'fonts-liberation');
    }
    if (findChromium() !== null) return null;
  }
  return 'no Chromium or Chrome was found: the browser tests are left out. Put chromium on the PATH to have them.';
}
