// How the set-up runs npm and other commands, and how it gives up.
import { spawn, spawnSync } from 'node:child_process';

/** Prints one line and exits with 1: a person must act. */
export function fail(message) {
  console.error(`kasir: ${message}`);
  process.exit(1);
}

/** The command and arguments of npm: the one that runs this script, if one does. */
export function findNpm() {
  const npm = process.env['npm_execpath'];
  return npm && /npm-cli\.c?js$/.test(npm) ? [process.execPath, npm] : ['npm'];
}

/**
 * The words that end a command with this process, also after kill -9: two npm ci would write into one folder. Without setpriv
 * (Linux has it) only an orderly end reaches the command.
 */
function buildGuard() {
  const guard = ['setpriv', '--pdeathsig', 'KILL'];
  return spawnSync(guard[0], [...guard.slice(1), 'true']).status === 0 ? guard : [];
}

/**
 * Runs a command, which ends when this process does. The event loop goes on meanwhile, so that Ctrl-C is handled. In a group of
 * its own the command does not get Ctrl-C itself, and cannot fail before this process says why.
 * Resolves with the exit code, or rejects when the command could not be started.
 */
export function runGuarded(command, args, options) {
  const [first, ...words] = [...buildGuard(), command, ...args];
  return new Promise((resolve, reject) => {
    const child = spawn(first, words, { ...options, detached: true });
    // SIGKILL, because npm answers SIGTERM late. The next set-up finds out what is incomplete.
    const end = () => process.kill(-child.pid, 'SIGKILL');
    const finish = (settle) => (value) => {
      process.off('exit', end);
      settle(value);
    };
    child.once('error', finish(reject));
    child.once('exit', finish(resolve));
    if (child.pid !== undefined) process.prependOnceListener('exit', end);
  });
}
