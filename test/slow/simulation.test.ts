// The protocols in a simulated world, over many seeds (npm run simulate for more). `npm test` runs the first ones.
import t from 'tap';
import { RAILS } from '#test/simulation/rails/run.js';
import { PAYMENTS, SPLITS } from '#test/simulation/run-scenario.js';
import { testSeeds } from '#test/simulation/test-seeds.js';
import { WEBHOOKS } from '#test/simulation/webhooks/run.js';

/** Each range is a process; two cores run two. */
t.jobs = 2;
testSeeds(t, PAYMENTS, { from: 31, to: 165 });
testSeeds(t, PAYMENTS, { from: 166, to: 300 });
testSeeds(t, SPLITS, { from: 21, to: 90 });
testSeeds(t, SPLITS, { from: 91, to: 160 });
testSeeds(t, WEBHOOKS, { from: 11, to: 55 });
testSeeds(t, WEBHOOKS, { from: 56, to: 100 });
testSeeds(t, RAILS, { from: 4, to: 13 });
testSeeds(t, RAILS, { from: 14, to: 24 });
