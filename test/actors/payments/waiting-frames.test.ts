// Frames that were read and wait for the next batch, because one batch cannot hold them, when their partition changes its
// owner twice in the meantime.
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { isReady, openRedis } from '#store/redis/client.js';
import { buildCommandsKey } from '#store/redis/keys.js';
import { encodeCreate, generatePaymentIdIn, openRawSender } from '#test/support/actors/commands.js';
import { startTestLoop, type TestLoop } from '#test/support/actors/loop.js';
import { createDatabase, startRedis } from '#test/support/servers.js';

const PARTITIONS = 2;
/** Together they are more than one batch takes. */
const FIRST_FRAME = 1_000;
const SECOND_FRAME = 100;
const MERCHANT = makeId('mer', Buffer.alloc(16, 1));

const buildCreates = (count: number): string[] =>
  Array.from({ length: count }, () =>
    encodeCreate(generatePaymentIdIn(0, PARTITIONS), MERCHANT, 'r'),
  );

t.test('frames that wait are read again after two changes of owner', async (t) => {
  const server = await startRedis(t);
  const redis = openRedis(server.url, () => {});
  t.teardown(() => {
    redis.disconnect();
  });
  await waitUntil('Redis is connected', () => isReady(redis));
  const databaseUrl = await createDatabase(t);
  const sql = openPostgres(databaseUrl, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  await checkInstallation(sql, { partitions: PARTITIONS, idKey: Buffer.alloc(32, 7) });
  const countTransitions = async () =>
    Number((await sql`select sum(version) from payments`)[0]?.sum ?? 0);
  const options = { databaseUrl, redisUrl: server.url };

  let append = (): void => {};
  const appended = new Promise<void>((resolve) => {
    append = resolve;
  });
  const running: TestLoop = await startTestLoop(t, {
    ...options,
    around: (real) => ({
      commit: async (batch) => {
        await appended;
        await real.commit(batch);
        if (batch.created.length < FIRST_FRAME) return;
        running.loop.drop([0]);
        const other = await startTestLoop(t, options);
        await other.claim(0);
        await waitUntil('another owner applies the frame that waits', async () => {
          return (await countTransitions()) === 1 + FIRST_FRAME + SECOND_FRAME;
        });
        await other.stop();
        await running.claim(0);
      },
    }),
  });
  await running.claim(0);
  const sender = await openRawSender(t, redis);
  const answers = [1, FIRST_FRAME, SECOND_FRAME].map((count) =>
    sender.send(0, buildCreates(count)),
  );
  await waitUntil('all frames are appended', async () => {
    return (await redis.xlen(buildCommandsKey(0))) === answers.length;
  });
  append();
  await Promise.all(answers);
  t.strictSame(await sender.send(0, buildCreates(1)), ['created'], 'the loop goes on');
  t.equal(await countTransitions(), 2 + FIRST_FRAME + SECOND_FRAME);
  await running.stop();
});
