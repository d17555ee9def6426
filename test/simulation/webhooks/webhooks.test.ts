// The protocol of webhooks in a simulated world, over a few seeds (npm run simulate -- --protocol webhooks for more).
import t from 'tap';
import { WEBHOOKS, runWebhooks } from './run.js';
import { buildWebhookScenario } from './scenario.js';
import { testSeeds } from '../test-seeds.js';

testSeeds(t, WEBHOOKS, { from: 1, to: 10 });

t.test('a seed replays exactly', async (t) => {
  for (const seed of [1, 2, 3]) {
    const lines: string[][] = [[], []];
    for (const run of lines) {
      await runWebhooks(buildWebhookScenario(seed), (line) => run.push(line));
    }
    t.strictSame(lines[0], lines[1]);
  }
});
