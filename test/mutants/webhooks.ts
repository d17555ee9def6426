// Mutants of webhooks: leases, lanes, queues, attempts, metrics.
import type { Mutant } from './mutant.js';

const DELIVERIES = 'actors/webhooks/deliveries';
const WORKER = `${DELIVERIES}/delivery-worker.ts`;
const RECONCILER = `${DELIVERIES}/delivery-reconciler.ts`;
const RECORDER = `${DELIVERIES}/attempt-recorder.ts`;
const DELIVER = `${DELIVERIES}/deliver.ts`;
const LUA = 'store/redis/lua';
const ANY = { protocol: 'webhooks' };
const after = (fault: string) => ({ protocol: 'webhooks', fault });

export const WEBHOOK_MUTANTS: readonly Mutant[] = [
  {
    breaks: 'no attempt begins while the leases are in doubt',
    file: WORKER,
    from: 'const mayBegin = (): boolean => !held.isLost && !this.#isInDoubt();',
    to: 'const mayBegin = (): boolean => true;',
    caughtBy: after('process_paused'),
  },
  {
    breaks: 'few attempts at an endpoint are under way',
    file: `${DELIVERIES}/lane.ts`,
    from: 'return this.active < this.breaker.countAllowed(Math.floor(this.#limit), nowMs);',
    to: 'return true;',
    caughtBy: ANY,
  },
  {
    breaks: 'a finished entry is deleted',
    file: `${LUA}/finish.lua`,
    from: "if redis.call('XDEL', KEYS[1], entry) == 1 then redis.call('SREM', KEYS[2], id) end",
    to: "redis.call('SREM', KEYS[2], id)",
    caughtBy: ANY,
  },
  {
    breaks: 'overdue deliveries that are missing in Redis are enqueued',
    file: RECONCILER,
    from: 'refilled += await enqueueDeliveries(redis, overdue);',
    to: 'void redis;',
    caughtBy: after('redis_flushed'),
  },
  {
    breaks: 'entries of a dead process are claimed',
    file: RECONCILER,
    from: '    await this.#claimStale();\n',
    to: '',
    caughtBy: after('process_killed'),
  },
  {
    breaks: 'a silent process loses its share',
    file: `${LUA}/join.lua`,
    from: "redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. string.format('%.0f', now - ARGV[2]))",
    to: '',
    caughtBy: after('process_killed'),
  },
  {
    breaks: 'an attempt sends the stored bytes',
    file: DELIVER,
    from: "const body = Buffer.from(delivery.body, 'utf8');",
    to: 'const body = Buffer.from(JSON.stringify(JSON.parse(delivery.body), null, 1));',
    caughtBy: ANY,
  },
  {
    breaks: 'a revoked secret does not sign',
    file: `${DELIVERIES}/endpoint-cache.ts`,
    from: 'measureElapsedMs(cached.readAt, clock) <= CACHED_FOR_MS',
    to: 'measureElapsedMs(cached.readAt, clock) <= 30_000',
    caughtBy: ANY,
  },
  {
    breaks: 'the fan-out polls, because a wake-up can be lost',
    file: 'actors/webhooks/followers/fan-out.ts',
    from: 'const isPoll = woken.size === 0 || clock.monotonicMs() - polledAtMs >= IDLE_POLL_MS;',
    to: 'const isPoll = false;',
    caughtBy: after('wakes_lost'),
  },
  {
    breaks: 'a dead delivery has used up its attempts',
    file: DELIVER,
    from: 'const failures = step + 1;',
    to: 'const failures = step + 2;',
    caughtBy: after('receiver_failing'),
  },
  {
    breaks: 'a delivery is attempted when Postgres says that it is due',
    file: RECORDER,
    from: 'if (delivery.dueInMs <= EARLY_MS) return null;',
    to: 'if (delivery.dueInMs <= EARLY_MS * 1e6) return null;',
    caughtBy: after('redis_clock_wrong'),
  },
  {
    breaks: 'an attempt whose rows are locked is recorded later',
    file: RECORDER,
    from: 'for (const finished of await write(batch)) void moveApart(finished);',
    to: 'await write(batch);',
    caughtBy: after('attempts_locked'),
  },
  {
    breaks: 'a delivery has one entry',
    file: `${LUA}/enqueue.lua`,
    from: "local isHeld = redis.call('SISMEMBER', KEYS[2], id) == 1 or isSoonDue(member)",
    to: 'local isHeld = isSoonDue(member)',
    caughtBy: ANY,
  },
  {
    breaks: 'lanes with lists are due again',
    file: `${LUA}/move-due.lua`,
    from: "  if first[1] then append(endpoint, first[1], 'p', 1) end\n",
    to: '',
    caughtBy: 'test/store/webhooks/webhooks.test.ts',
  },
  {
    breaks: 'the backlog is counted again and again',
    file: RECONCILER,
    from: 'if (this.#rounds % COUNT_EVERY_ROUNDS === 0) {',
    to: 'if (this.#rounds === COUNT_EVERY_ROUNDS) {',
    caughtBy: ANY,
  },
];
