// Commands put straight into a stream, past every gateway, and the replies to them.
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import type { RedisClient } from '#store/redis/client.js';
import { buildCommandsKey } from '#store/redis/keys.js';
import { subscribeReplies } from '#store/redis/replies.js';
import { uniqueWord } from '../processes.js';
import type { TestScope } from '../servers.js';

export interface RawSender {
  /** Appends one frame of these texts; the outcomes in their order, when all have come. */
  readonly send: (partition: number, texts: readonly string[]) => Promise<string[]>;
}

/** Appends an entry of any fields: what a bug or a stranger may write. */
export async function appendEntry(
  redis: RedisClient,
  partition: number,
  fields: readonly string[],
): Promise<void> {
  await redis.xadd(buildCommandsKey(partition), 'NOMKSTREAM', '*', ...fields);
}

/** A sender that hears the replies to what it sent. */
export async function openRawSender(t: TestScope, redis: RedisClient): Promise<RawSender> {
  const name = uniqueWord('gw');
  const listening = redis.duplicate();
  t.teardown(() => {
    listening.disconnect();
  });
  const outcomes = new Map<string, string>();
  await subscribeReplies(listening, name, ({ correlation, outcome }) => {
    outcomes.set(correlation, outcome);
  });
  let sent = 0;
  return {
    send: async (partition, texts) => {
      const correlations = texts.map(() => String((sent += 1)));
      const fields = texts.flatMap((text, index) => [correlations[index] ?? '', text]);
      await appendEntry(redis, partition, ['g', name, ...fields]);
      await waitUntil('all are answered', 10_000, () =>
        correlations.every((correlation) => outcomes.has(correlation)),
      );
      return correlations.map((correlation) => outcomes.get(correlation) ?? '');
    },
  };
}
