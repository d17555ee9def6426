// The sender of facts in the simulated world, in place of the rails process: it sends a fact again until Postgres shows
// its effect. Poison comes from here too.
import { partitionFor } from '#actors/core/partition.js';
import { findTransaction } from '#actors/core/payment/state.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { sendFrames } from '#store/redis/commands.js';
import { buildCommandsKey } from '#store/redis/keys.js';
import { encodeSettle } from '#test/support/actors/commands.js';
import { COMMAND_KEYS } from '#test/support/processes.js';
import { createRedisClient } from '../redis/client.js';
import { RedisConnection } from '../redis/network.js';
import { POISON, type Poison, type RailFact } from '../scenario.js';
import type { SimProcess } from '../world/sim-process.js';
import { followPartitionCount } from './operator.js';
import type { Stage } from './payments.js';

const REPEAT_MS = 700;
const MAX_REPEATS = 60;

export interface RailsSender {
  readonly settle: (fact: RailFact) => void;
  readonly poison: (poison: Poison) => void;
}

export function startRailsSender(stage: Stage, process: SimProcess): RailsSender {
  const redis = createRedisClient(new RedisConnection(stage.redis, process));
  const sender = { name: process.name, source: 'rails', keys: COMMAND_KEYS.rails } as const;
  const countPartitions = followPartitionCount(stage, process);
  const send = (partition: number, text: string): void => {
    void sendFrames(redis, sender, new Map([[partition, [{ correlation: '', text }]]]));
  };
  const settle = (fact: RailFact, repeats = 0): void => {
    send(
      partitionFor(fact.paymentId, countPartitions()),
      encodeSettle(fact.paymentId, fact.railTransactionId),
    );
    process.schedule(REPEAT_MS, () => {
      const isOver = findSettled(stage, fact) === true || repeats === MAX_REPEATS;
      if (!isOver) settle(fact, repeats + 1);
    });
  };
  return {
    settle,
    poison: (poison) => {
      if (poison.kind === 'unreadable') {
        send(poison.partition, `{"${POISON}`);
        return;
      }
      const { paymentId } = poison;
      const text = encodeSettle(paymentId, POISON);
      const key = buildCommandsKey(partitionFor(paymentId, countPartitions()));
      // Straight into Redis, which may be full.
      const fields = ['f', ['no MAC', 'nobody', 'rails', '', text].join('\u001f')];
      try {
        stage.redis.master.execute('xadd', [key, 'NOMKSTREAM', '*', ...fields]);
      } catch (error) {
        process.log.warn({ err: error }, 'a forged entry was refused');
      }
    },
  };
}

/** Whether the payment knows the transaction, as its own or as another payment's; undefined: it was never created. */
export function findSettled(
  { postgres }: Pick<Stage, 'postgres'>,
  { paymentId, railTransactionId }: RailFact,
): boolean | undefined {
  const stored = postgres.tables.payments.get(paymentId);
  if (stored === undefined) return undefined;
  const state = decodeSnapshot(stored.snapshot);
  return findTransaction(state, { rail: 'sandbox', railTransactionId }) !== undefined;
}
