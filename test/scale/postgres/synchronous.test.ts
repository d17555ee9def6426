// Patroni with a synchronous standby, under load: a switchover and the death of the primary lose nothing that was answered, and
// nothing is done twice.
import t from 'tap';
import { underLoad } from '#test/support/stage.js';
import { measureTakeOver, printHead } from './take-over.js';
import { startWatchedPostgres, WAYS } from './watched-postgres.js';

/** Patroni's time to miss a leader, and what the service may need afterwards. */
const SERVES_MS = 60_000;

t.setTimeout(0);
printHead();

for (const way of WAYS) {
  t.test(`through ${way}: nothing answered is lost, and nothing is done twice`, async (t) => {
    const postgres = await startWatchedPostgres(t, true);
    const createDatabase = (name: string): Promise<string> => postgres.createDatabase(name, way);
    const options = {
      ...{ gateways: 2, payments: 2, giveUpMs: 2 * SERVES_MS, postgres: { createDatabase } },
      variables: { LEASE_MS: '5000' },
    };
    await underLoad(t, options, async ({ load, serves }) => {
      const scene = { postgres, load };
      await measureTakeOver(t, `synchronous, ${way}, switchover`, scene, (former) =>
        postgres.switchOver(former),
      );
      await serves(SERVES_MS);
      await load.progress(200);
      await postgres.waitUntilWhole();
      const killed = `synchronous, ${way}, kill -9 of the primary`;
      const lost = { member: await postgres.findPrimary() };
      await measureTakeOver(t, killed, scene, (former) => former.killAll());
      await serves(SERVES_MS);
      await load.progress(200);
      await lost.member.start();
      await postgres.waitUntilWhole();
      await load.progress(200);
    });
  });
}
