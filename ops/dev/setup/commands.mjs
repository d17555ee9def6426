// How the set-up runs npm, and how it gives up.

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
