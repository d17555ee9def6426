// `kill -9` of all payments processes at once. test/flows/killed-processes.test.ts kills them one after the other.
import t from 'tap';
import { underLoad } from '../support/stage.js';

t.test('all payments processes killed at once cost no invariant', (t) =>
  underLoad(t, { gateways: 1, payments: 2 }, async ({ payments, serves }) => {
    await Promise.all(payments.map((one) => one.kill()));
    await Promise.all(payments.map((one) => one.start()));
    await serves();
  }),
);
