// Callbacks of rails on their way from a gateway to a rails process: a list from which each rails process pops. The
// answer returns on the gateway's channel of replies. Nothing here has to survive: without an answer the gateway
// answers 503, and the rail repeats.
import type { RedisClient } from './client.js';
import { isReady } from './client.js';
import { CALLBACKS_KEY } from './keys.js';

/** The answers of a rails process. */
export const CALLBACK_OUTCOMES = [
  'taken',
  'repeated',
  'ignored',
  'forged',
  'unknown_order',
  'unavailable',
] as const;
export type CallbackOutcome = (typeof CALLBACK_OUTCOMES)[number];

export interface SentCallback {
  /** Names the channel of replies. */
  readonly gateway: string;
  /** The reply repeats it. */
  readonly correlation: string;
  readonly rail: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The trace context of the request; undefined: it is not traced. Older builds ignore it. */
  readonly traceparent?: string | undefined;
}

/** Beyond this, the oldest callbacks are dropped: their gateways no longer wait. */
const MAX_WAITING = 1_024;

/** Returns false when Redis did not accept it. */
export async function pushCallback(redis: RedisClient, callback: SentCallback): Promise<boolean> {
  if (!isReady(redis)) return false;
  const { gateway, correlation, rail, headers, body, traceparent } = callback;
  const parts = [gateway, correlation, rail, headers, body.toString('base64')];
  const text = JSON.stringify(traceparent === undefined ? parts : [...parts, traceparent]);
  const answers = await redis
    .pipeline()
    .rpush(CALLBACKS_KEY, text)
    .ltrim(CALLBACKS_KEY, -MAX_WAITING, -1)
    .exec()
    .catch(() => null);
  return answers?.[0]?.[0] === null;
}

/** Removes and returns up to `count`; waits up to `waitS` for the first. Rejects when Redis does not answer. */
export async function popCallbacks(
  redis: RedisClient,
  count: number,
  waitS: number,
): Promise<SentCallback[]> {
  const taken = await redis.blmpop(waitS, 1, CALLBACKS_KEY, 'LEFT', 'COUNT', count);
  return (taken?.[1] ?? []).flatMap(readCallback);
}

function readCallback(text: string): SentCallback[] {
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed)) return [];
  const [gateway, correlation, rail, headers, body, traceparent] = parsed as unknown[];
  return [
    {
      gateway: String(gateway),
      correlation: String(correlation),
      rail: String(rail),
      headers: headers as Readonly<Record<string, string>>,
      body: Buffer.from(String(body), 'base64'),
      traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    },
  ];
}
