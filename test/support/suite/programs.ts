// Programs that slow tests need and npm does not carry. The set-up of `npm run test:all` installs them as root on Debian and
// Ubuntu.
import { findTestProgram } from '#ops/dev/setup/test-programs.mjs';

/** The path of `program`, which is in Debian's package `name`. */
export function needProgram(program: string, name: string): string {
  const found = findTestProgram(program);
  if (found !== null) return found;
  throw new Error(`${program} is missing on the PATH. Type: sudo apt-get install ${name}`);
}
