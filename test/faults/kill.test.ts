// `kill -9` of gateways and payments processes, one after the other and all payments processes at once.
import t from 'tap';
import { underLoad } from '../support/stage.js';

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

t.test('all payments processes killed at once cost no invariant', (t) =>
  underLoad(t, { gateways: 1, payments: 2 }, async ({ payments, serves }) => {
    await Promise.all(payments.map((one) => one.kill()));
    await Promise.all(payments.map((one) => one.start()));
    await serves();
  }),
);
