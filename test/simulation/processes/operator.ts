// The operator of the simulated world, who splits the partitions as ops/cli/partitions-split.ts does; and how senders follow the number
// of partitions, as store/postgres/migration/partition-count.ts does.
import { maintainStreams } from '#store/redis/stream-repair.js';
import * as leases from '../postgres/leases.js';
import { createRedisClient } from '../redis/client.js';
import { RedisConnection } from '../redis/network.js';
import type { SimProcess } from '../world/sim-process.js';
import type { Stage } from './payments.js';

const READ_EVERY_MS = 2_000;
const AGAIN_MS = 300;

/** The number that a sender believes in. It asks again every two seconds, as long as Postgres answers. */
export function followPartitionCount({ postgres }: Stage, process: SimProcess): () => number {
  let count = postgres.tables.partitions.size;
  const ask = (): void => {
    const isAnswered = !postgres.isDown && !postgres.swallowedHosts.has(process.host.name);
    if (isAnswered) count = postgres.tables.partitions.size;
    process.schedule(READ_EVERY_MS, ask);
  };
  process.schedule(READ_EVERY_MS, ask);
  return () => count;
}

/** Repeats the command until it succeeds, or its process is killed. */
export async function splitPartitions(
  stage: Stage,
  process: SimProcess,
  to: number,
): Promise<void> {
  const redis = createRedisClient(new RedisConnection(stage.redis, process));
  for (;;) {
    try {
      await split(stage, process, redis, to);
      return;
    } catch (error) {
      process.log.warn({ err: error }, 'the split is repeated');
      await process.clock.sleep(AGAIN_MS);
    }
  }
}

async function split(
  { postgres, audit }: Stage,
  process: SimProcess,
  redis: ReturnType<typeof createRedisClient>,
  to: number,
): Promise<void> {
  const from = postgres.tables.partitions.size;
  await makeStreams(from);
  if (from < to) {
    await postgres.run(process, {
      ...{ name: 'split partitions', isWrite: true },
      work: (tables) => {
        leases.splitPartitions({ tables, nowMs: postgres.nowMs }, from, to);
        audit.sample();
      },
    });
  }
  await makeStreams(to);

  async function makeStreams(count: number): Promise<void> {
    const claims = await postgres.run(process, {
      ...{ name: 'read claims', isWrite: false },
      work: (tables) => leases.readClaims(tables, listNumbers(count)),
    });
    const positions = new Map(claims.map(({ partition, position }) => [partition, position]));
    const cursors = listNumbers(to).flatMap((partition) => {
      const after = positions.get(partition % count);
      return after === undefined ? [] : [{ partition, after }];
    });
    await maintainStreams(redis, cursors);
  }
}

const listNumbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
