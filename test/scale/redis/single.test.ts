// One Redis under load: nothing happens, it is killed, it loses its data, and the network between it and the processes swallows
// every connection.
import t from 'tap';
import { underLoad, watchFault } from '#test/support/stage.js';

const ENGINE = 'Redis, one server';
const STAGE = { gateways: 2, payments: 2 } as const;

t.test('one Redis that is killed and emptied', (t) =>
  underLoad(t, STAGE, async (stage) => {
    const { redis, load, serves } = stage;
    await watchFault(stage, { engine: ENGINE, fault: 'none' }, () => load.progress(300));
    await watchFault(stage, { engine: ENGINE, fault: 'kill -9, started again' }, async () => {
      await redis.restart();
      await serves();
    });
    await watchFault(
      stage,
      { engine: ENGINE, fault: 'kill -9, started without data' },
      async () => {
        await redis.restart({ isWiped: true });
        await serves();
      },
    );
  }),
);

t.test('one Redis whose connections are swallowed', (t) =>
  underLoad(t, { ...STAGE, proxied: 'everybody' }, async (stage) => {
    const { proxy, serves } = stage;
    await watchFault(stage, { engine: ENGINE, fault: 'all connections swallowed' }, async () => {
      proxy.strand();
      await serves();
    });
  }),
);
