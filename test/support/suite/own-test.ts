// A test file that shares its process with others imports this module as `tap` (own-test-hook.ts). It gets a test of its own,
// so that what the file begins at its top, and ends in `teardown`, ends with the file. A file that runs alone has the root test.
import root, { type Test } from 'tap';

/** The files of a process run one after the other: this is the test of the one that runs. */
let own: Test = root;
export { own as default };

export function setOwn(test: Test): void {
  own = test;
}
