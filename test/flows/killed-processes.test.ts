// `kill -9` of gateways and payments processes, one after the other. test/faults/ has all other faults.
import t from 'tap';
import { underLoad } from '#test/support/stage.js';

t.test('a killed gateway or payments process costs no invariant', (t) =>
  underLoad(t, { gateways: 2, payments: 2 }, async ({ gateways, payments, load, serves }) => {
    for (const victim of [...gateways, ...payments]) {
      await victim.kill();
      await serves();
      await load.progress(50);
      await victim.start();
      await load.progress(50);
    }
  }),
);
