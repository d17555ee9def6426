// Rolling deployments over a changed frame: this build, and one that also reads and writes a made-up version 2.
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { buildCommandsKey } from '#store/redis/keys.js';
import { type Stage, underLoad } from '#test/support/stage.js';
import { copyWith, preparePlaces, replaceAll, replaceInEachOrder } from './other-build.js';

const CODEC = '{ encode: encodeText, decode: decodeText }';
const SECOND_CODEC = `{
  encode: (...given) => Buffer.from(encodeText(...given)).toString('base64'),
  decode: (text, ...given) => decodeText(Buffer.from(text, 'base64').toString(), ...given),
}`;

const buildSecondVersion = (t: Test) =>
  copyWith(t, {
    file: 'store/redis/frames.ts',
    from: `[${CODEC}]`,
    to: `[${CODEC}, ${SECOND_CODEC}]`,
  });

/** Waits until the newest frame of the first partition has the mark. */
async function waitForMark({ redisClient }: Stage, mark: string): Promise<void> {
  await waitUntil(`frames are written as ${mark}`, async () => {
    const [entry] = await redisClient.xrevrange(buildCommandsKey(0), '+', '-', 'COUNT', 1);
    return entry?.[1][0] === mark;
  });
}

t.test('version 2 is written when all read it, and each order of replacement loses nothing', (t) =>
  replaceInEachOrder(t, buildSecondVersion(t), (stage, isOther) =>
    waitForMark(stage, isOther ? 'f2' : 'f'),
  ),
);

t.test('the only payments process leaves no frame behind that the next one does not read', (t) =>
  underLoad(t, { gateways: 1, payments: 1 }, async (stage) => {
    const places = await preparePlaces(t, stage, buildSecondVersion(t));
    await replaceAll(t, stage, places, { isOther: true, kinds: ['payments', 'gateway'] });
    await waitForMark(stage, 'f2');
    await replaceAll(t, stage, places, { isOther: false, kinds: ['payments', 'gateway'] });
  }),
);
