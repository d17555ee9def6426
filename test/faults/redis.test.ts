// Redis that is killed, that restarts without its data, and that is emptied while all processes stay connected. The
// processes make the streams again from the positions in Postgres, without help.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { isAnswered } from '../support/load/history.js';
import { type Stage, underLoad } from '../support/stage.js';

/** Resolves when a create was answered 503. */
async function waitForRejection({ load }: Stage): Promise<void> {
  const from = load.history.length;
  await waitUntil('a create is answered 503', () =>
    load.history.slice(from).some((entry) => isAnswered(entry) && entry.result.status === 503),
  );
}

t.test('creates are answered 503 while Redis is down, and served when it is back', (t) =>
  underLoad(t, { gateways: 2, payments: 2 }, async (stage) => {
    for (let times = 0; times < 2; times += 1) {
      await stage.redis.kill();
      await waitForRejection(stage);
      await stage.redis.restart();
      await stage.serves();
      await stage.load.progress(50);
    }
  }),
);

t.test('the service recovers when Redis restarts without its data', (t) =>
  underLoad(t, { gateways: 2, payments: 2 }, async (stage) => {
    for (let times = 0; times < 2; times += 1) {
      await stage.redis.restart({ isWiped: true });
      await stage.serves();
      await stage.load.progress(50);
    }
  }),
);

t.test('the service recovers from FLUSHALL', (t) =>
  underLoad(t, { gateways: 2, payments: 2 }, async ({ redisClient, serves, load }) => {
    for (let times = 0; times < 4; times += 1) {
      await redisClient.flushall();
      await serves();
      await load.progress(30);
    }
  }),
);
