// A frame of a newer version than this build reads: its partition stops before it, and the others go on.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { NEWEST_VERSION } from '#store/redis/frames.js';
import { buildCommandsKey } from '#store/redis/keys.js';
import { encodeCreate } from '#test/support/actors/commands.js';
import {
  generateId,
  MERCHANT,
  openLoopScene,
  openSceneRedis,
} from '#test/support/actors/loop-scene.js';

const NEWER = NEWEST_VERSION + 1;
const scene = await openSceneRedis(t);
const appendNewer = (partition: number) =>
  scene.redis.xadd(buildCommandsKey(partition), '*', `f${NEWER}`, 'text of a newer build');

t.test('a partition stops before the frame, skips nothing, and the others go on', async (t) => {
  const {
    claim: claimAgain,
    create,
    loop,
    sender,
    readClaims,
    readStatus,
    sql,
  } = await openLoopScene(t, scene);
  const first = await create(0);
  const newer = await appendNewer(0);
  const behind = generateId(0);
  const reply = sender.send(0, [encodeCreate(behind, MERCHANT, behind)]);
  await waitUntil('the partition stops', () => loop.owned.get(0)?.stoppedBefore === NEWER);
  const other = await create(1);
  t.equal(await readStatus(first), 'pending', 'the frame before it is applied');
  t.equal(await readStatus(other), 'pending', 'another partition goes on');
  t.equal(await readStatus(behind), undefined, 'the frame behind it waits');
  const [claim] = await readClaims([0]);
  const position = `${claim?.position.ms}-${claim?.position.seq}`;
  t.equal(newer !== null && position < newer, true, `position ${position} is before ${newer}`);
  t.equal(loop.owned.get(1)?.stoppedBefore, undefined);
  t.strictSame([...(await sql`select from quarantined_commands`)], [], 'nothing is quarantined');

  await scene.redis.xdel(buildCommandsKey(0), newer ?? '');
  await claimAgain(0);
  t.strictSame(await reply, ['created'], 'applied when the frame is gone');
});
