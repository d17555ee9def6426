// SIGTERM, as a deploy sends it: partitions are handed over and requests are drained. No request fails: at most a
// connection is refused, and the client uses the other gateway.
import t, { type Test } from 'tap';
import { describe, type Entry, isDecided } from '../support/load/history.js';
import type { RunningProcess } from '../support/processes.js';
import { type Stage, underLoad } from '../support/stage.js';

/** A machine that is busy with other work takes many seconds for the requests that are under way. */
const variables = { SHUTDOWN_MS: '45000' };

const listFailed = (entries: readonly Entry[]): string[] =>
  entries.filter((entry) => !isDecided(entry) && entry.result.kind !== 'refused').map(describe);

/** Stops and starts each process under load. */
async function replaceOneByOne(
  t: Test,
  { load }: Stage,
  victims: readonly RunningProcess[],
): Promise<void> {
  const from = load.history.length;
  for (const victim of victims) {
    victim.signal('SIGTERM');
    t.equal(await victim.waitForEnd(), 0, 'it ends with 0');
    await load.progress(50);
    await victim.start();
    await load.progress(50);
  }
  t.strictSame(listFailed(load.history.slice(from)), []);
}

t.test('payments processes are replaced one by one without a failed request', (t) =>
  underLoad(t, { gateways: 1, payments: 2, variables }, (stage) =>
    replaceOneByOne(t, stage, stage.payments),
  ),
);

t.test('gateways are replaced one by one without a failed request', (t) =>
  underLoad(t, { gateways: 2, payments: 1, variables }, (stage) =>
    replaceOneByOne(t, stage, stage.gateways),
  ),
);
