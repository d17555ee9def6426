// One leader over several processes, by a lease in Redis.
//
//   FOLLOWING ──the lease is free──▶ LEADING ──the renewal is late, or another process has the lease──▶ FOLLOWING
//
//   FOLLOWING  The process asks again after RENEW_EVERY_MS.
//   LEADING    The lease is renewed after RENEW_EVERY_MS, and given back when the process stops. A leader that died is
//              followed by another one after LEASE_MS + RENEW_EVERY_MS at most.
//
// Two processes may lead for a moment: one that was paused does not know yet that its lease has ended, and Redis may lose a
// lease. So a leader may only do what does no harm when it is done twice.
import type { Clock } from '#ops/runtime/clock.js';
import { isReady, type RedisClient } from './client.js';
import { loadScript, runScript } from './scripts.js';

const LEASE_MS = 3_000;
export const RENEW_EVERY_MS = 1_000;

const LEAD = loadScript('lead');
const RESIGN = loadScript('resign');

export interface Leadership {
  /** Asks Redis when the last answer is RENEW_EVERY_MS old. Rejects when Redis does not answer. */
  readonly isLeading: () => Promise<boolean>;
  /** Lets another process lead at once. */
  readonly resign: () => Promise<void>;
}

export interface LeadershipOptions {
  readonly redis: RedisClient;
  readonly key: string;
  /** Unique for each process. */
  readonly name: string;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

export function openLeadership({ redis, key, name, clock }: LeadershipOptions): Leadership {
  let isLeader = false;
  let askedAtMs = -Infinity;
  return {
    isLeading: async () => {
      const nowMs = clock.monotonicMs();
      if (nowMs - askedAtMs < RENEW_EVERY_MS) return isLeader;
      isLeader = false;
      isLeader = (await runScript(redis, LEAD, [key], [name, LEASE_MS])) === 1;
      askedAtMs = nowMs;
      return isLeader;
    },
    resign: async () => {
      askedAtMs = -Infinity;
      if (isLeader && isReady(redis))
        await runScript(redis, RESIGN, [key], [name]).catch(() => null);
      isLeader = false;
    },
  };
}
