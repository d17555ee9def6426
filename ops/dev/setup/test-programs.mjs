// Programs that only `npm run test:all` needs, with the packages of Debian that hold them.
import { canInstall, findProgram, install } from './debian.mjs';

const PACKAGES = {
  promtool: 'prometheus',
  pgbouncer: 'pgbouncer',
  php: 'php-cli',
  python3: 'python3',
  curl: 'curl',
};

/** Returns null, or the line to print. Tests that need a missing program fail. */
export function findOrInstallTestPrograms() {
  const listMissing = () =>
    Object.keys(PACKAGES).filter((program) => findProgram([program]) === null);
  const missing = listMissing();
  if (missing.length === 0) return null;
  if (canInstall()) {
    console.log(`kasir: installing ${missing.join(', ')} (apt-get) …`);
    install(...missing.map((program) => PACKAGES[program]));
    if (listMissing().length === 0) return null;
  }
  const packages = listMissing().map((program) => PACKAGES[program]);
  return `some tests need more programs. Type: sudo apt-get install ${packages.join(' ')}`;
}
