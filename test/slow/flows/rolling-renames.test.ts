// Rolling deployments from the last build before tables were renamed (docs/decisions/0075-one-name-per-thing.md), and back.
import t from 'tap';
import { BEFORE_RENAMES, checkOut, replaceInEachOrder } from './other-build.js';

t.test('each order of replacement beside a build with the former names loses nothing', (t) =>
  replaceInEachOrder(t, checkOut(t, BEFORE_RENAMES), () => Promise.resolve()),
);
