// Three Postgres servers of Patroni, with etcd and HAProxy: a planned switchover under load. The longer faults are in
// test/scale/postgres/.
import t from 'tap';
import { startWatchedPostgres } from '#test/support/engines/watched-postgres.js';
import { underLoad } from '#test/support/stage.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';

const SERVES_MS = 60_000;

t.test('a switchover of Patroni loses nothing, and needs no restart', async (t) => {
  const postgres = await startWatchedPostgres(t, true);
  const createDatabase = (name: string): Promise<string> =>
    postgres.createDatabase(name, 'HAProxy');
  const options = {
    ...{ gateways: 2, payments: 2, giveUpMs: 2 * SERVES_MS, postgres: { createDatabase } },
    variables: { LEASE_MS: '5000' },
  };
  await underLoad(t, options, async ({ load, serves }) => {
    const former = await postgres.findPrimary();
    await postgres.switchOver(former);
    await waitUntil('another member is primary', async () => {
      return (await postgres.findPrimary()) !== former;
    });
    await serves(SERVES_MS);
    await load.progress(200);
  });
});
