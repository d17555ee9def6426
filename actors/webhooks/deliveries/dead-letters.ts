// Replays and retention of dead letters. Both are stored in Postgres, so any webhooks process continues them.
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import type { Postgres } from '#store/postgres/client.js';
import {
  deleteOldDeliveries,
  deleteUnreferenced,
} from '#store/postgres/webhooks/dead-letters/delete-deliveries.js';
import {
  completeReplays,
  findOpenParts,
  stepReplay,
} from '#store/postgres/webhooks/dead-letters/step-replays.js';
import type { RedisClient } from '#store/redis/client.js';
import { enqueueDeliveries } from '#store/redis/webhooks/ready-entries.js';

const STEP_EVERY_MS = 500;
/** Between two looks for a replay. */
const IDLE_MS = 1_000;
const MAX_PARTS = 64;
/** Deliveries of an endpoint that a replay makes due at once, so that it runs at the pace of the endpoint's lane. */
const WINDOW = 256;

const DELETE_EVERY_MS = 600_000;
const DELETE_PAUSE_MS = 1_000;
const MAX_DELETED = 1_000;

export interface ReplayDeps {
  readonly sql: Postgres;
  readonly redis: RedisClient;
  /** Called when a step for the endpoint was stored. */
  readonly onStep: (endpointId: string) => void;
  readonly log: Log;
}

/** Takes a step of each open replay. Two processes never step the same part of a replay at once. */
export function startReplays({ sql, redis, onStep, log }: ReplayDeps): Loop {
  const work = async (stopping: AbortSignal): Promise<number> => {
    const parts = await findOpenParts(sql, MAX_PARTS);
    for (const part of parts) {
      if (stopping.aborted) return STEP_EVERY_MS;
      const due = await stepReplay(sql, part, WINDOW);
      await enqueueDeliveries(redis, due);
    }
    await completeReplays(sql);
    for (const { endpointId } of parts) onStep(endpointId);
    return parts.length > 0 ? STEP_EVERY_MS : IDLE_MS;
  };
  return startLoop({ name: 'replaying dead letters', everyMs: STEP_EVERY_MS, work, log });
}

/** Deletes deliveries that are older than their 30 days, in small batches. */
export function startRetention(sql: Postgres, log: Log): Loop {
  const work = async (): Promise<number> => {
    if ((await deleteOldDeliveries(sql, MAX_DELETED)) === MAX_DELETED) return DELETE_PAUSE_MS;
    await deleteUnreferenced(sql);
    return DELETE_EVERY_MS;
  };
  return startLoop({ name: 'deleting old deliveries', everyMs: DELETE_EVERY_MS, work, log });
}
