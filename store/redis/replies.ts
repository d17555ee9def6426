// Replies to gateways: one message per batch on the channel of each gateway process. A message has for each reply
// `<correlation>:<outcome>` and the body, all joined by U+001F, which JSON never contains raw. Replies are published
// and not stored (docs/decisions/0006-replies-are-published.md).
import type { RedisClient } from './client.js';
import { EVENTS_CHANNEL, RAIL_CALLS_CHANNEL, buildRepliesChannel } from './keys.js';
import { encodeCallKinds, encodePartitions, type CallKind } from './wake-up.js';

export interface Reply {
  correlation: string;
  /** Of the state machine, or the reason why it did not get the command. */
  outcome: string;
  /** The object's JSON; for a rejection, the status that excludes the command; else empty. */
  body: string;
}

const SEPARATOR = '\u001f';

/** The work of other processes that follows from a batch. */
export interface Wakes {
  /** The partition of each event for merchants. */
  readonly eventPartitions: readonly number[];
  /** Only the kinds of the calls are read. */
  readonly railCalls: readonly CallKind[];
}

/** Publishes the replies of one batch, by gateway, and the wake-ups. A process that misses them reads Postgres. */
export async function publishOutcome(
  redis: RedisClient,
  replies: ReadonlyMap<string, readonly Reply[]>,
  wakes: Wakes,
): Promise<void> {
  const pipeline = redis.pipeline();
  for (const [gateway, list] of replies) {
    pipeline.publish(buildRepliesChannel(gateway), encodeReplies(list));
  }
  if (wakes.eventPartitions.length > 0) {
    pipeline.publish(EVENTS_CHANNEL, encodePartitions(wakes.eventPartitions));
  }
  if (wakes.railCalls.length > 0) {
    pipeline.publish(RAIL_CALLS_CHANNEL, encodeCallKinds(wakes.railCalls));
  }
  for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error;
}

/** Returns whether something waited for the reply. */
export type AcceptReply = (reply: Reply) => boolean;

/**
 * Subscribes to the replies of `gateway`, again after each reconnect; `redis` must be a connection of its own. A reply goes
 * to the first of `accepts` that waited for it. Resolves when Redis has confirmed the first subscription.
 */
export function subscribeReplies(
  redis: RedisClient,
  gateway: string,
  ...accepts: readonly AcceptReply[]
): Promise<void> {
  redis.on('message', (_channel: string, message: string) => {
    for (const reply of decodeReplies(message)) {
      for (const accept of accepts) if (accept(reply)) break;
    }
  });
  return new Promise((resolve) => {
    redis.on('ready', () => {
      redis.subscribe(buildRepliesChannel(gateway)).then(
        () => {
          resolve();
        },
        () => {
          redis.disconnect(true);
        },
      );
    });
  });
}

function encodeReplies(replies: readonly Reply[]): string {
  let message = '';
  for (const { correlation, outcome, body } of replies) {
    if (message !== '') message += SEPARATOR;
    message += `${correlation}:${outcome}${SEPARATOR}${body}`;
  }
  return message;
}

function decodeReplies(message: string): Reply[] {
  const parts = message.split(SEPARATOR);
  const replies: Reply[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const head = parts[index] ?? '';
    const colon = head.indexOf(':');
    replies.push({
      correlation: head.slice(0, colon),
      outcome: head.slice(colon + 1),
      body: parts[index + 1] ?? '',
    });
  }
  return replies;
}
