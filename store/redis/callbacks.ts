// Callbacks of rails on their way from a gateway to a rails process: a list that any of those takes from. The answer
// comes back on the gateway's channel of replies. Nothing here must survive: without an answer the gateway says 503,
// and the rail repeats.
import type { RedisClient } from './client.js';
import { isReady } from './client.js';
import { CALLBACKS_KEY } from './keys.js';

/** What becomes of a callback that a rails process has taken. */
export type CallbackOutcome =
  'taken' | 'repeated' | 'ignored' | 'forged' | 'unknown_order' | 'unavailable';

export interface CallbackFrame {
  /** Whose channel of replies is answered, and what the reply repeats. */
  readonly gateway: string;
  readonly correlation: string;
  readonly rail: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What waits longer than its gateway does is dropped, the oldest first. */
const MAX_WAITING = 1_024;

/** False: it could not be put there. */
export async function pushCallback(redis: RedisClient, frame: CallbackFrame): Promise<boolean> {
  if (!isReady(redis)) return false;
  const { gateway, correlation, rail, headers, body } = frame;
  const text = JSON.stringify([gateway, correlation, rail, headers, body.toString('base64')]);
  const answers = await redis
    .pipeline()
    .rpush(CALLBACKS_KEY, text)
    .ltrim(CALLBACKS_KEY, -MAX_WAITING, -1)
    .exec()
    .catch(() => null);
  return answers?.[0]?.[0] === null;
}

/** Takes up to `count`, and waits up to `waitS` for the first. Rejects when Redis cannot be asked. */
export async function popCallbacks(
  redis: RedisClient,
  count: number,
  waitS: number,
): Promise<CallbackFrame[]> {
  const taken = await redis.blmpop(waitS, 1, CALLBACKS_KEY, 'LEFT', 'COUNT', count);
  return (taken?.[1] ?? []).flatMap(readFrame);
}

function readFrame(text: string): CallbackFrame[] {
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed)) return [];
  const [gateway, correlation, rail, headers, body] = parsed as unknown[];
  return [
    {
      gateway: String(gateway),
      correlation: String(correlation),
      rail: String(rail),
      headers: headers as Readonly<Record<string, string>>,
      body: Buffer.from(String(body), 'base64'),
    },
  ];
}
