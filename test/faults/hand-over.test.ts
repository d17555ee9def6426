// SIGTERM, as a deploy sends it: partitions are handed over and requests are drained. Nobody's request
// fails: a client at most finds that the gateway takes no new connection, and goes to the other one.
import t from 'tap';
import { describe, type Entry, isDecided } from '../support/load/history.js';
import { underLoad } from '../support/stage.js';

const failed = (entries: readonly Entry[]): string[] =>
  entries.filter((entry) => !isDecided(entry) && entry.result.kind !== 'refused').map(describe);

t.test('payments processes are replaced one by one without a failed request', (t) =>
  underLoad(t, { gateways: 1, payments: 2 }, async ({ payments, load }) => {
    const from = load.history.length;
    for (const victim of payments) {
      victim.signal('SIGTERM');
      t.equal(await victim.waitForEnd(), 0, 'it ends in order');
      await load.progress(50);
      await victim.start();
      await load.progress(50);
    }
    t.strictSame(failed(load.history.slice(from)), []);
  }),
);

t.test('gateways are replaced one by one without a failed request', (t) =>
  underLoad(t, { gateways: 2, payments: 1 }, async ({ gateways, load }) => {
    const from = load.history.length;
    for (const victim of gateways) {
      victim.signal('SIGTERM');
      t.equal(await victim.waitForEnd(), 0, 'it ends in order');
      await load.progress(50);
      await victim.start();
      await load.progress(50);
    }
    t.strictSame(failed(load.history.slice(from)), []);
  }),
);
