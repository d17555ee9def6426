// Patroni with a synchronous standby, under load: a switchover, the death of the primary and a primary that hangs lose nothing that
// was answered, and nothing is done twice.
import t, { type Test } from 'tap';
import {
  startWatchedPostgres,
  type WatchedPostgres,
  type Way,
  WAYS,
} from '#test/support/engines/watched-postgres.js';
import type { Member } from '#test/support/engines/patroni.js';
import { type Service, underLoad, watchFault } from '#test/support/stage.js';
import { measureTakeOver, printHead } from './take-over.js';

/** Patroni's time to miss a leader, and what the service may need afterwards. */
const SERVES_MS = 60_000;

t.setTimeout(0);
printHead();

interface Fault {
  readonly name: string;
  readonly cause: (former: Member, postgres: WatchedPostgres) => unknown;
  readonly end: (former: Member) => unknown;
}

const FAULTS: readonly Fault[] = [
  {
    name: 'switchover',
    cause: (former, postgres) => postgres.switchOver(former),
    end: () => undefined,
  },
  {
    name: 'kill -9 of the primary',
    cause: (former) => former.killAll(),
    end: (former) => former.start(),
  },
  {
    name: 'the primary hangs, another takes over',
    cause: (former) => {
      former.signalAll('SIGSTOP');
    },
    // As a watchdog does. A primary that wakes beside the new one answers reads with what was true before, until its Patroni looks.
    end: async (former) => {
      await former.killAll();
      await former.start();
    },
  },
];

async function fail(
  t: Test,
  { postgres, way }: { readonly postgres: WatchedPostgres; readonly way: Way },
  stage: Service,
  { name, cause, end }: Fault,
): Promise<void> {
  const engine = `Postgres, synchronous, ${way}`;
  const former = await postgres.findPrimary();
  await watchFault(stage, { engine, fault: name }, async () => {
    const title = `synchronous, ${way}, ${name}`;
    const scene = { postgres, load: stage.load };
    await measureTakeOver(t, title, scene, (primary) => Promise.resolve(cause(primary, postgres)));
    await stage.serves(SERVES_MS);
  });
  await end(former);
  await postgres.waitUntilWhole();
  await stage.serves(SERVES_MS);
  await stage.load.progress(200);
}

for (const way of WAYS) {
  t.test(`through ${way}: nothing answered is lost, and nothing is done twice`, async (t) => {
    const postgres = await startWatchedPostgres(t, true);
    const createDatabase = (name: string): Promise<string> => postgres.createDatabase(name, way);
    const options = {
      ...{ gateways: 2, payments: 2, giveUpMs: 2 * SERVES_MS, postgres: { createDatabase } },
      variables: { LEASE_MS: '5000' },
    };
    await underLoad(t, options, async (stage) => {
      const engine = `Postgres, synchronous, ${way}`;
      await watchFault(stage, { engine, fault: 'none' }, () => stage.load.progress(300));
      for (const fault of FAULTS) await fail(t, { postgres, way }, stage, fault);
    });
  });
}
