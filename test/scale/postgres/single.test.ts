// One Postgres under load: it is stopped, it crashes, and the network between it and the processes swallows every connection.
import t from 'tap';
import { startPostgres } from '#test/support/servers.js';
import { underLoad, watchFault } from '#test/support/stage.js';

const ENGINE = 'Postgres, one server';
const STAGE = { gateways: 2, payments: 2 } as const;

t.test('one Postgres that is stopped and crashes', async (t) => {
  const postgres = await startPostgres(t);
  await underLoad(t, { ...STAGE, postgres }, async (stage) => {
    const { load, serves } = stage;
    await watchFault(stage, { engine: ENGINE, fault: 'none' }, () => load.progress(300));
    await watchFault(stage, { engine: ENGINE, fault: 'stopped, started again' }, async () => {
      await postgres.stop();
      await postgres.start();
      await serves();
    });
    await watchFault(stage, { engine: ENGINE, fault: 'kill -9, started again' }, async () => {
      await postgres.kill();
      await postgres.start();
      await serves();
    });
  });
});

t.test('one Postgres whose connections are swallowed', (t) =>
  underLoad(t, { ...STAGE, proxied: 'postgres' }, async (stage) => {
    const { proxy, serves } = stage;
    await watchFault(stage, { engine: ENGINE, fault: 'all connections swallowed' }, async () => {
      proxy.strand();
      await serves();
    });
  }),
);
