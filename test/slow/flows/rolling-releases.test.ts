// Rolling deployments from the last build whose payments processes announce no version of frames, and back.
import t from 'tap';
import { checkOut, replaceInEachOrder } from './other-build.js';

const WITHOUT_VERSIONS = '6a80430';

t.test('each order of replacement beside a build without versions loses nothing', (t) =>
  replaceInEachOrder(t, checkOut(t, WITHOUT_VERSIONS), () => Promise.resolve()),
);
