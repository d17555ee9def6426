// The bytes of a stream of events. The native side sends the line end of a chunk with the next chunk, and a proxy that passes
// on whole chunks only (Varnish) keeps an event back until then.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { ChangeFeed } from '#gateway/money/changes/change-feed.js';
import { openEventStream } from '#gateway/money/changes/event-stream.js';
import { replyWithStream } from '#gateway/routing/response.js';
import { defineOpenRoute } from '#gateway/routing/route.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { createLog } from '#ops/runtime/log.js';
import { get, speak } from '#test/support/http/raw.js';
import { startTarget } from '#test/support/http/target.js';
import { GivenClock } from '#test/support/waits/given-clock.js';

const COMMENT = ':\n\n';
/** Between two readings of the changes (gateway/money/changes/change-feed.ts). */
const READ_EVERY_MS = 1_000;
const PAYMENTS = 3;

const session = {
  merchantId: makeId('mer', randomBytes(16)),
  environment: 'TEST',
  sessionId: makeId('ses', randomBytes(16)),
  role: 'owner',
} as const;
const clock = new GivenClock();
let readings = 0;
const feed = new ChangeFeed({
  findRoles: () => Promise.resolve(new Map([[session.sessionId, session.role]])),
  sources: [
    {
      permission: 'read_payments',
      // The first reading has no changes; each later one has a payment.
      read: () => {
        const changes = [{ ...session, id: `pay_${readings}` }].slice(0, readings);
        readings += 1;
        return Promise.resolve({ changes, isComplete: true });
      },
      rest: () => undefined,
    },
  ],
  log: createLog({ logLevel: 'silent' }, 'test'),
  clock,
});
t.teardown(() => feed.stop());
const target = await startTarget({
  routes: [
    defineOpenRoute({
      method: 'GET',
      path: '/changes',
      cpuUs: 100,
      summary: 'Changes',
      answers: { 200: null },
      handle: () =>
        replyWithStream(
          'text/event-stream',
          openEventStream(feed, session, () => undefined),
        ),
    }),
  ],
});
t.teardown(() => target.server.stop(0));

/** The chunks whose line end has come. */
function listChunks(text: string): string[] {
  const chunks: string[] = [];
  let rest = text.slice(text.indexOf('\r\n\r\n') + 4);
  for (;;) {
    const [size = ''] = rest.split('\r\n', 1);
    const from = size.length + 2;
    const end = from + parseInt(size, 16);
    if (!rest.startsWith('\r\n', end)) return chunks;
    chunks.push(rest.slice(from, end));
    rest = rest.slice(end + 2);
  }
}

const countEvents = (text: string): number =>
  listChunks(text).filter((chunk) => chunk !== COMMENT).length;

t.test('a comment in a chunk of its own follows each event', async (t) => {
  const follow = async (readText: () => string): Promise<void> => {
    for (const told of ['event: ready', 'pay_1', 'pay_2']) {
      const isTold = (): boolean => readText().includes(told) && clock.nextInMs !== undefined;
      await waitUntil('the event arrives', isTold);
      clock.advance(READ_EVERY_MS);
    }
  };
  const { text } = await speak(target.port, [get('/changes'), follow], {
    until: (heard) => countEvents(heard) === 1 + PAYMENTS,
  });
  const chunks = listChunks(text);
  t.equal(chunks[0], COMMENT, 'the head comes at once');
  for (const told of ['event: ready\n', ...['pay_1', 'pay_2']]) {
    const index = chunks.findIndex((chunk) => chunk.includes(told));
    t.equal(chunks[index + 1], COMMENT, `behind ${told}`);
  }
  t.match(
    text.slice(text.indexOf('pay_3')),
    /^pay_3"\]\}\n\n\r\n3\r\n:\n\n/,
    'and behind the last',
  );
});
