// A TAP program that runs test files in one process, each as a test of its own. Several such processes share the files: each
// takes the next one that no process has begun. To load tap and the sources takes a second of CPU, which a process of its own
// for each file would pay each time.
//   together.js <list>        a file with the path of a compiled test in each line; claims are kept in <list>.claims/
// The paths are no arguments, since tap makes the names of folders of them.
import { mkdirSync, readFileSync } from 'node:fs';
import { register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { setOwn } from './own-test.js';

/** Ends a file that hangs. The longest builds the image of containers, which takes ten minutes beside other work on a busy machine. */
const TIMEOUT_MS = 1_800_000;

/** Whether this process is the first that takes the file: one of them makes the folder. */
const claim = (index: number): boolean =>
  mkdirSync(join(`${list}.claims`, String(index)), { recursive: true }) !== undefined;

const [list = ''] = process.argv.slice(2);
register('./own-test-hook.js', import.meta.url);
t.setTimeout(0);
for (const [index, file] of readFileSync(list, 'utf8').split('\n').entries()) {
  if (!claim(index)) continue;
  await t.test(file, { timeout: TIMEOUT_MS }, async (own) => {
    setOwn(own);
    await import(pathToFileURL(file).href);
  });
}
