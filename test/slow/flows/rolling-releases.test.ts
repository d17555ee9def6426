// Rolling deployments from former builds, and back.
import t from 'tap';
import { BEFORE_RENAMES, checkOut, replaceInEachOrder } from './other-build.js';

/** The last build whose payments processes announce no version of frames. */
const WITHOUT_VERSIONS = '6a80430';

t.test('each order of replacement beside a build without versions loses nothing', (t) =>
  replaceInEachOrder(t, checkOut(t, WITHOUT_VERSIONS), () => Promise.resolve()),
);

t.test('each order of replacement beside a build with the former names loses nothing', (t) =>
  replaceInEachOrder(t, checkOut(t, BEFORE_RENAMES), () => Promise.resolve()),
);
