// Replies to gateways, published on a channel of each gateway process: one message a batch. A message is
// `<correlation>:<outcome>` and the body, serialised once by the actor, of each reply in turn, all joined
// by U+001F, which JSON never holds raw.
//
// Published, not stored: a reply only tells sooner what the gateway can look up in Postgres, and nothing
// of it need survive. A stream costs an append to the log, its fsync and a trim for each batch; a channel
// costs none of them, and a wiped Redis has nothing to make again.
import type { RedisClient } from './client.js';
import { EVENTS_CHANNEL, RAIL_CALLS_CHANNEL, buildRepliesChannel } from './keys.js';
import { encodeLanes, type LaneKey } from './wake-up.js';

export interface Reply {
  correlation: string;
  /** What happened: an outcome of the state machine, or why the command was not given to it. */
  outcome: string;
  /** The object's JSON; of a state conflict the status that stands in the way; else empty. */
  body: string;
}

const SEPARATOR = '\u001f';

/** What a batch left for other processes to do. */
export interface Wakes {
  /** There are events for merchants. */
  readonly hasEvents: boolean;
  /** Calls to rails; only what names their lanes is read. */
  readonly railCalls: readonly LaneKey[];
}

/**
 * Publishes the replies of one batch, by gateway, and wakes those for whom there is something to do. Whoever is not
 * connected misses it, and looks in Postgres.
 */
export async function publishOutcome(
  redis: RedisClient,
  replies: ReadonlyMap<string, readonly Reply[]>,
  wakes: Wakes,
): Promise<void> {
  const pipeline = redis.pipeline();
  for (const [gateway, list] of replies) {
    pipeline.publish(buildRepliesChannel(gateway), encodeReplies(list));
  }
  if (wakes.hasEvents) pipeline.publish(EVENTS_CHANNEL, '');
  if (wakes.railCalls.length > 0) {
    pipeline.publish(RAIL_CALLS_CHANNEL, encodeLanes(wakes.railCalls));
  }
  for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error;
}

/**
 * Hears the replies of `gateway` on a connection of its own, also after each reconnect. Resolves when the
 * first subscription stands.
 */
export function subscribeReplies(
  redis: RedisClient,
  gateway: string,
  accept: (reply: Reply) => void,
): Promise<void> {
  redis.on('message', (_channel: string, message: string) => {
    for (const reply of decodeReplies(message)) accept(reply);
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
