// Programs that tests need and npm does not carry. As root on Debian or Ubuntu they are installed; elsewhere
// one line says what to type.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const APT_TIMEOUT_MS = 300_000;

/** The path of `program`, from Debian's package `name`. */
export function needProgram(program: string, name: string): string {
  const found = findOnPath(program) ?? install(program, name);
  if (found !== undefined) return found;
  throw new Error(`${program} is missing. Type: sudo apt-get install ${name}`);
}

function findOnPath(program: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function install(program: string, name: string): string | undefined {
  if (process.getuid?.() !== 0 || findOnPath('apt-get') === undefined) return undefined;
  const apt = (...args: string[]): boolean =>
    spawnSync('apt-get', ['-qq', '-y', ...args], {
      timeout: APT_TIMEOUT_MS,
      stdio: 'ignore',
      // A package must not start its service on this machine.
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
    }).status === 0;
  const options = ['install', '--no-install-recommends', name];
  return apt(...options) || (apt('update') && apt(...options)) ? findOnPath(program) : undefined;
}
