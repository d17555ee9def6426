// Two owners of one partition. Its row is given to another process while the owner works; and a second loop reads the
// same stream with the epoch before, like a process that slept beyond its lease. Only the epoch decides.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { startTestLoop } from '../support/actors/loop.js';
import { underLoad } from '../support/stage.js';

const PARTITIONS = 16;
const ENOUGH = 40;
const ALL = Array.from({ length: PARTITIONS }, (_, partition) => partition);

t.test('partitions that are given to another process during work cost no invariant', (t) =>
  underLoad(t, { gateways: 1, payments: 2 }, async ({ sql, load, serves }) => {
    for (let times = 0; times < 10; times += 1) {
      // One statement a partition: a statement that locks several rows can meet a commit that locks them in another order.
      for (const id of ALL.filter((partition) => partition % 3 === times % 3)) {
        await sql`
          update partitions p set epoch = epoch + 1, owner = (
            select name from payments_processes s
             where s.name <> p.owner and s.lease_until > now() limit 1)
           where id = ${id}`;
      }
      await load.progress(10);
    }
    await serves();
  }),
);

t.test('no commit of a loop with an old epoch is stored', (t) =>
  underLoad(t, { gateways: 1, payments: 1 }, async ({ databaseUrl, redis }) => {
    const seen = { commits: 0, stored: 0 };
    const stale = await startTestLoop(t, {
      databaseUrl,
      redisUrl: redis.url,
      around: (real) => ({
        commit: async (batch) => {
          seen.commits += 1;
          await real.commit(batch);
          seen.stored += 1;
        },
      }),
    });
    await waitUntil('stale commits were tried', async () => {
      const claims = await stale.readClaims(ALL);
      const missing = claims.filter(({ partition }) => !stale.loop.owned.has(partition));
      stale.loop.adopt(missing.map((claim) => ({ ...claim, epoch: claim.epoch - 1n })));
      return seen.commits >= ENOUGH;
    });
    await stale.stop();
    t.equal(seen.stored, 0, 'none of its commits was stored');
  }),
);
