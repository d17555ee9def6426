// SIGTERM, as a deploy sends it: partitions are handed over and requests are drained. Nobody's request
// fails: a client at most finds that the gateway takes no new connection, and goes to the other one.
import t, { type Test } from 'tap';
import { describe, type Entry, isDecided } from '../support/load/history.js';
import type { RunningProcess } from '../support/processes.js';
import { type Stage, underLoad } from '../support/stage.js';

const failed = (entries: readonly Entry[]): string[] =>
  entries.filter((entry) => !isDecided(entry) && entry.result.kind !== 'refused').map(describe);

/** Each ends in order and is started again, under load; no request of anybody fails meanwhile. */
async function replaceOneByOne(
  t: Test,
  { load }: Stage,
  victims: readonly RunningProcess[],
): Promise<void> {
  const from = load.history.length;
  for (const victim of victims) {
    victim.signal('SIGTERM');
    t.equal(await victim.waitForEnd(), 0, 'it ends in order');
    await load.progress(50);
    await victim.start();
    await load.progress(50);
  }
  t.strictSame(failed(load.history.slice(from)), []);
}

t.test('payments processes are replaced one by one without a failed request', (t) =>
  underLoad(t, { gateways: 1, payments: 2 }, (stage) => replaceOneByOne(t, stage, stage.payments)),
);

t.test('gateways are replaced one by one without a failed request', (t) =>
  underLoad(t, { gateways: 2, payments: 1 }, (stage) => replaceOneByOne(t, stage, stage.gateways)),
);
