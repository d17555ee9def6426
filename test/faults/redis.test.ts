// Redis is killed, comes back without its data, and is emptied while everybody stays connected. Nobody
// helps: streams are made again from the positions in Postgres.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { isAnswered } from '../support/load/history.js';
import { type Stage, underLoad } from '../support/stage.js';

/** Somebody was told "not now", since the call. */
async function refuses({ load }: Stage): Promise<void> {
  const from = load.history.length;
  await waitUntil('creates are refused', 10_000, () =>
    load.history.slice(from).some((entry) => isAnswered(entry) && entry.result.status === 503),
  );
}

t.test('Redis is killed and started again', (t) =>
  underLoad(t, { gateways: 2, payments: 2 }, async (stage) => {
    for (let times = 0; times < 2; times += 1) {
      await stage.redis.kill();
      await refuses(stage);
      await stage.redis.restart();
      await stage.serves();
      await stage.load.progress(50);
    }
  }),
);

t.test('Redis is killed and its data directory wiped', (t) =>
  underLoad(t, { gateways: 2, payments: 2 }, async (stage) => {
    for (let times = 0; times < 2; times += 1) {
      await stage.redis.restart({ isWiped: true });
      await stage.serves();
      await stage.load.progress(50);
    }
  }),
);

t.test('FLUSHALL', (t) =>
  underLoad(t, { gateways: 2, payments: 2 }, async ({ redisClient, serves, load }) => {
    for (let times = 0; times < 4; times += 1) {
      await redisClient.flushall();
      await serves();
      await load.progress(30);
    }
  }),
);
