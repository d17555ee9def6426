// Refunds and payouts while Postgres is killed, alone and with a synchronous standby that takes over: what was answered is there,
// once, and the books agree.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { startWatchedPostgres } from '#test/support/engines/watched-postgres.js';
import { watchMoney } from '#test/support/load/money.js';
import { startPostgres } from '#test/support/servers.js';
import { startStage } from '#test/support/stage.js';

const FAULT = 'kill -9 of the primary';
/** The load of creates rests, so that the merchant's money is the only one that moves. */
const STAGE = { gateways: 2, payments: 2, perSecond: 0 } as const;
const SERVES_MS = 60_000;

t.setTimeout(0);

t.test('one Postgres is killed while money moves', async (t) => {
  const postgres = await startPostgres(t);
  const stage = await startStage(t, { ...STAGE, postgres });
  await stage.serves();
  await watchMoney(t, stage, { engine: 'Postgres, one server', fault: FAULT }, async () => {
    await postgres.kill();
    await postgres.start();
    await stage.serves(SERVES_MS);
  });
});

t.test('a primary with a synchronous standby is killed while money moves', async (t) => {
  const postgres = await startWatchedPostgres(t, true);
  const createDatabase = (name: string): Promise<string> =>
    postgres.createDatabase(name, 'HAProxy');
  const variables = { LEASE_MS: '5000' };
  const stage = await startStage(t, { ...STAGE, variables, postgres: { createDatabase } });
  await stage.serves(SERVES_MS);
  const engine = 'Postgres, synchronous, HAProxy';
  await watchMoney(t, stage, { engine, fault: FAULT }, async () => {
    const former = await postgres.findPrimary();
    await former.killAll();
    await waitUntil(
      'another member is primary',
      async () => (await postgres.findPrimary()) !== former,
    );
    await stage.serves(SERVES_MS);
  });
});
