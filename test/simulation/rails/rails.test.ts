// The protocol of rails in a simulated world, over a few seeds (npm run simulate -- --protocol rails for more).
import t from 'tap';
import { RAILS, runRailScenario } from './run.js';
import { buildRailScenario } from './scenario.js';
import { testSeeds } from '../test-seeds.js';

testSeeds(t, RAILS, { from: 1, to: 3 });

t.test('a seed replays exactly', async (t) => {
  const lines: string[][] = [[], []];
  for (const run of lines) {
    await runRailScenario(buildRailScenario(1), (line) => run.push(line));
  }
  t.strictSame(lines[0], lines[1]);
});
