// The way from one host to Redis and Postgres is bad: everything takes longer, connections are cut in the middle, and some pass
// nothing any more without being closed.
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { type Proxy, startProxy } from '#test/support/peers/proxy.js';
import { watchFault } from '#test/support/stage.js';
import { ENGINE, underLoadOnHosts } from './hosted-service.js';
import { startClock } from './progress.js';

/** In each direction. A statement that Kasir waits for takes four times as long as the lease allows only beyond a second. */
const DELAY_MS = 40;
const DROPS = 6;
const BETWEEN_MS = 700;
const CUT_AFTER_BYTES = 20_000;

const portOf = (url: string | undefined): number => Number(new URL(url ?? '').port);

/** All connections of a way are dropped, some in the middle of a reply, others without a word to either end. */
async function drop(ways: readonly Proxy[]): Promise<void> {
  for (let count = 0; count < DROPS; count += 1) {
    for (const way of ways) {
      if (count % 2 === 0) way.strand();
      else way.cutAfter(CUT_AFTER_BYTES);
    }
    await sleep(BETWEEN_MS);
  }
}

t.test('a host whose way to the stores delays and drops loses nothing', async (t) => {
  const ways: Proxy[] = [];
  const changeSecond = async (
    { REDIS_URL = '', DATABASE_URL = '' }: Readonly<Record<string, string>>,
    { address }: { readonly address: string },
  ) => {
    const redis = await startProxy(t, portOf(REDIS_URL), address);
    const postgres = await startProxy(t, portOf(DATABASE_URL), address);
    ways.push(redis, postgres);
    return { REDIS_URL: redis.through(REDIS_URL), DATABASE_URL: postgres.through(DATABASE_URL) };
  };
  await underLoadOnHosts(t, { changeSecond }, async (service) => {
    const { load, serve } = service;
    await watchFault(service, { engine: ENGINE, fault: 'a slow way to the stores' }, async () => {
      for (const way of ways) way.delay(DELAY_MS);
      await load.progress(300);
    });
    await watchFault(service, { engine: ENGINE, fault: 'a way that drops' }, async () => {
      await drop(ways);
      const sinceHealed = startClock();
      for (const way of ways) way.heal();
      await Promise.all(
        (['first', 'second'] as const).map(async (host) => {
          await serve(host);
          sinceHealed.report(`the way is good again: the ${host} host creates after`);
        }),
      );
    });
    t.ok(
      ways.every((way) => way.connections() > DROPS),
      'connections were made again',
    );
  });
});
