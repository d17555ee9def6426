// The protocol of payments in a simulated world, with and without a split of the partitions, over a few seeds (npm run simulate for more).
import t from 'tap';
import { PAYMENTS, runScenario, SPLITS } from './run-scenario.js';
import { buildScenario } from './scenario.js';
import { testSeeds } from './test-seeds.js';

testSeeds(t, PAYMENTS, { from: 1, to: 30 });
testSeeds(t, SPLITS, { from: 1, to: 20 });

t.test('a seed replays exactly', async (t) => {
  for (const seed of [1, 2, 3]) {
    const lines: string[][] = [[], []];
    const digests: string[] = [];
    for (const run of lines) {
      digests.push((await runScenario(buildScenario(seed), (line) => run.push(line))).digest);
    }
    t.strictSame(lines[0], lines[1]);
    t.equal(digests[0], digests[1]);
  }
});
