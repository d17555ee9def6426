// The places of streams of changes, which merchants share: those who follow many leave some to those who follow few.
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { type MerchantId, makeId } from '#actors/core/ids.js';
import { ChangeFeed } from '#gateway/money/changes/change-feed.js';
import { buildChangeRoutes } from '#gateway/money/changes/routes.js';
import type { AnyRequest } from '#gateway/routing/request.js';
import type { Answer } from '#gateway/routing/response.js';
import { createLog } from '#ops/runtime/log.js';

const PER_MERCHANT = 50;
const GREEDY = 40;

const makeMerchantId = (): MerchantId => makeId('mer', randomBytes(16));

/** Returns how a merchant opens a stream of a gateway. */
function openGateway(t: Test): (merchantId: MerchantId) => Promise<Answer> {
  const changeFeed = new ChangeFeed({
    findRoles: (ids) => Promise.resolve(new Map(ids.map((id) => [id, 'owner']))),
    sources: [],
    log: createLog({ logLevel: 'silent' }, 'test'),
  });
  t.teardown(() => changeFeed.stop());
  const [route] = buildChangeRoutes({ changeFeed });
  const preferences = {
    ...{ accept: 'text/event-stream', acceptLanguage: '', acceptEncoding: '', ifNoneMatch: '' },
  };
  return async (merchantId) => {
    const session = { id: makeId('ses', randomBytes(16)), merchantId, role: 'owner' };
    const request = { preferences, session, query: {} } as unknown as AnyRequest;
    if (route === undefined) throw new Error('there is no route of changes');
    return route.handle(request);
  };
}

async function openAll(open: () => Promise<Answer>): Promise<{ open: Answer[]; refused: Answer }> {
  const answers: Answer[] = [];
  for (;;) {
    const answer = await open();
    if (answer.code !== null) return { open: answers, refused: answer };
    answers.push(answer);
  }
}

t.test('merchants who open all streams that they can keep no other merchant out', async (t) => {
  const open = openGateway(t);
  const held: Answer[][] = [];
  for (let merchant = 0; merchant < GREEDY; merchant += 1) {
    const id = makeMerchantId();
    const { open: answers, refused } = await openAll(() => open(id));
    held.push(answers);
    t.match(refused, { code: 'rate_limited', details: { retryAfterSeconds: 30 } });
  }
  t.equal(held[0]?.length, PER_MERCHANT, 'the first one is alone');
  const later = makeMerchantId();
  t.match(await open(later), { code: null }, 'a merchant with no stream gets one');
  t.match(await open(later), { code: null }, 'and another one');
  t.ok((held.at(-1)?.length ?? 0) < PER_MERCHANT, 'the last of the greedy ones gets fewer');
});

t.test('a merchant gets its whole share again once the others are gone', async (t) => {
  const open = openGateway(t);
  const held: Answer[] = [];
  for (let merchant = 0; merchant < GREEDY; merchant += 1) {
    const id = makeMerchantId();
    held.push(...(await openAll(() => open(id))).open);
  }
  const later = makeMerchantId();
  t.ok((await openAll(() => open(later))).open.length < PER_MERCHANT);
  for (const answer of held) if (answer.code === null) await answer.chunks?.return();
  const another = makeMerchantId();
  t.equal((await openAll(() => open(another))).open.length, PER_MERCHANT);
});
