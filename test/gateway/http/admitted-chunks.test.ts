// A streamed answer is cut when its key or its session ends, and goes on while they last.
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { makeApiKey } from '#actors/core/api-key.js';
import { makeId } from '#actors/core/ids.js';
import type { CheckSession } from '#gateway/auth/check-session.js';
import { buildApiError, replyWithStream } from '#gateway/routing/response.js';
import { defineKeyRoute, defineOpenRoute } from '#gateway/routing/route.js';
import { defineSessionRoute } from '#gateway/routing/session-route.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { get, speak } from '#test/support/http/raw.js';
import { createCredentialCache, makeCredential, startTarget } from '#test/support/http/target.js';

const ROW = 'row\n';
const key = makeApiKey('TEST', randomBytes(96));
const credentials = [makeCredential(key)];
let hasSession = true;
const checkSession: CheckSession = () =>
  Promise.resolve(
    hasSession
      ? {
          ...{ id: makeId('ses', randomBytes(16)), userId: makeId('usr', randomBytes(16)) },
          ...{ merchantId: makeId('mer', randomBytes(16)), role: 'owner', email: 'a@b.example' },
          ...{ isVerified: true, hasSecondFactor: false, mustEnrol: false, isByCookie: false },
        }
      : buildApiError('session_expired'),
  );

/** Streams that were told to release what they hold. */
let released = 0;
let isComplete = false;
const streamRows = () => {
  const next = async () => {
    await nextTurn();
    return isComplete
      ? ({ done: true, value: undefined } as const)
      : ({ done: false, value: ROW } as const);
  };
  const end = () => {
    released += 1;
    return Promise.resolve();
  };
  return replyWithStream('text/csv', { next, return: end });
};
const info = {
  method: 'GET',
  operationId: 'x',
  summary: '',
  description: '',
  answers: {},
} as const;
const target = await startTarget({
  options: { checkSession, credentials: createCredentialCache(credentials) },
  routes: [
    defineKeyRoute({ ...info, path: '/v1/by-key', handle: streamRows }),
    defineSessionRoute({
      ...{ ...info, path: '/v1/by-session', permission: 'own_account', handle: streamRows },
    }),
    defineOpenRoute({ ...info, path: '/open', cpuUs: 100, handle: streamRows }),
  ],
});
t.teardown(() => target.server.stop(0));

const LAST_CHUNK = /\r\n0\r\n\r\n$/;
const ENDS = {
  '/v1/by-key': { name: 'key is revoked', end: () => credentials.splice(0) },
  '/v1/by-session': { name: 'session ends', end: () => (hasSession = false) },
};
for (const [path, { name, end }] of Object.entries(ENDS)) {
  t.test(`a file whose ${name} is cut, and its source released`, async (t) => {
    const before = released;
    const endOnceSent = async (readText: () => string): Promise<void> => {
      await waitUntil('rows are sent', () => readText().includes(ROW));
      end();
    };
    const request = get(path, [`Authorization: Bearer ${key}`]);
    const { text, ending } = await speak(target.port, [request, endOnceSent]);
    t.equal(ending, 'closed');
    t.notMatch(text.slice(-20), LAST_CHUNK, 'nobody takes the part for the whole');
    t.equal(released, before + 1);
    t.same(target.failures, [], 'and it is logged as no fault');
  });
}

t.test('a file that no credential protects is sent to its end', async (t) => {
  const complete = async (readText: () => string): Promise<void> => {
    await waitUntil('rows are sent', () => readText().includes(ROW));
    isComplete = true;
  };
  const until = (text: string): boolean => LAST_CHUNK.test(text.slice(-20));
  const { text } = await speak(target.port, [get('/open'), complete], { until });
  t.match(text.slice(-20), LAST_CHUNK);
});
