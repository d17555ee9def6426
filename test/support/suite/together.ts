// A TAP program that runs many pure test files in one process: loading tap and the sources once takes a fifth of the CPU.
//   together.js <compiled file>…
import { pathToFileURL } from 'node:url';
import t from 'tap';

for (const file of process.argv.slice(2)) {
  t.comment(file);
  await import(pathToFileURL(file).href);
}
