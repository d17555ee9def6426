// Changes as server-sent events (text/event-stream):
//
//   event: ready      data: {}                 the page loads again what it shows
//   event: changes    data: {"ids":["pay_…"]}  payments, payouts, and webhook endpoints with deliveries that changed;
//                                              null: any of them
//
// A comment every 5 s shows both sides that the connection lives. A comment in a write of its own also follows each event: the
// native side sends the line end of a chunk with the next chunk, and a proxy that passes on whole chunks only (Varnish) would
// keep the event back until then. The stream ends with its session, and after five minutes: the browser connects again, which
// is a use of the session.
import type { BodyChunk, BodyChunks } from '#gateway/routing/response.js';
import type { ChangeFeed, Follower } from './change-feed.js';

/** Less than the 10 s after which the native side aborts an answer that nothing is written to. */
const COMMENT_EVERY_MS = 5_000;
const STREAM_MS = 5 * 60_000;
/** More ids are told as null: the page loads its lists anyway. */
const MAX_IDS = 200;
/** Characters for a client that does not read. */
const MAX_WAITING = 20_000;
const COMMENT = ':\n\n';

export type FollowingSession = Pick<Follower, 'merchantId' | 'environment' | 'sessionId' | 'role'>;

const writeEvent = (name: string, data: object): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** `onEnd` is called once, when the stream is over for any reason. */
export function openEventStream(
  feed: ChangeFeed,
  session: FollowingSession,
  onEnd: () => void,
): BodyChunks {
  const endsAtMs = performance.now() + STREAM_MS;
  // Sends the head at once.
  let waiting = COMMENT;
  /** The last write held an event. */
  let isEventOpen = false;
  let isOver = false;
  let wake: (() => void) | undefined;
  const add = (text: string): void => {
    waiting += text;
    wake?.();
  };
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    leave();
    onEnd();
    wake?.();
  };
  const leave = feed.follow({
    ...session,
    onReady: () => add(writeEvent('ready', {})),
    onChange: (ids) => {
      const isShort = ids !== null && ids.length <= MAX_IDS && waiting.length <= MAX_WAITING;
      if (!isShort) waiting = '';
      add(writeEvent('changes', { ids: isShort ? ids : null }));
    },
    onEnd: () => setImmediate(end),
  });
  const wait = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => add(COMMENT), COMMENT_EVERY_MS);
      wake = () => {
        clearTimeout(timer);
        wake = undefined;
        resolve();
      };
    });
  return {
    endsWithSession: true,
    next: async () => {
      if (performance.now() > endsAtMs) end();
      if (waiting === '' && !isEventOpen && !isOver) await wait();
      if (isOver) return { done: true, value: undefined };
      const value: BodyChunk = isEventOpen ? COMMENT : waiting;
      if (!isEventOpen) waiting = '';
      isEventOpen = value !== COMMENT;
      return { done: false, value };
    },
    return: () => {
      end();
      return Promise.resolve();
    },
  };
}
