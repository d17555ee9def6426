// Two owners of one partition. The row is given to another process while the first still works; and a
// second loop works on a partition under the epoch before, reading the same stream, as a process does
// that slept through its lease. Only the epoch decides.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { startTestLoop } from '../support/actors/loop.js';
import { underLoad } from '../support/stage.js';

const PARTITIONS = 16;
const ENOUGH = 40;
const ALL = Array.from({ length: PARTITIONS }, (_, partition) => partition);

t.test('partitions are given to the other process while their owner works', (t) =>
  underLoad(t, { gateways: 1, payments: 2 }, async ({ sql, load, serves }) => {
    for (let times = 0; times < 10; times += 1) {
      await sql`
        update partitions p set epoch = epoch + 1, owner = (
          select name from payments_processes s
           where s.name <> p.owner and s.lease_until > now() limit 1)
         where id % 3 = ${times % 3}`;
      await load.progress(10);
    }
    await serves();
  }),
);

t.test('a second loop works under the epoch before', (t) =>
  underLoad(t, { gateways: 1, payments: 1 }, async ({ databaseUrl, redis }) => {
    const seen = { commits: 0, landed: 0 };
    const stale = await startTestLoop(t, {
      databaseUrl,
      redisUrl: redis.url,
      partitions: PARTITIONS,
      around: (real) => ({
        commit: async (batch) => {
          seen.commits += 1;
          await real.commit(batch);
          seen.landed += 1;
        },
      }),
    });
    await waitUntil('stale commits were tried', 20_000, async () => {
      const claims = await stale.readClaims(ALL);
      const missing = claims.filter(({ partition }) => !stale.loop.owned.has(partition));
      stale.loop.adopt(missing.map((claim) => ({ ...claim, epoch: claim.epoch - 1n })));
      return seen.commits >= ENOUGH;
    });
    await stale.stop();
    t.equal(seen.landed, 0, 'none of its commits landed');
  }),
);
