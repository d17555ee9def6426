// Watches what the gateway stands on, so that it refuses within milliseconds instead of waiting for what
// cannot come: Postgres and both connections to Redis by a ping twice a second, Redis's memory with it.
import { runWithDeadline } from '#ops/runtime/deadline.js';
import type { RedisClient } from '#store/redis/client.js';
import { isReady } from '#store/redis/client.js';
import type { Postgres } from '#store/postgres/client.js';

const PING_EVERY_MS = 500;
const PING_TIMEOUT_MS = 2_000;
const START_PING_EVERY_MS = 20;
/** Beyond this share of Redis's maxmemory commands are refused, so that what is queued can drain. */
const MEMORY_SHARE = 0.7;

export interface DependencyState {
  postgres: boolean;
  redis: boolean;
  hasRedisMemory: boolean;
}

export class DependencyHealth {
  readonly #sql: Postgres;
  readonly #redis: RedisClient;
  readonly #subscriber: RedisClient;
  readonly #state: DependencyState = { postgres: false, redis: false, hasRedisMemory: true };
  readonly #timer: NodeJS.Timeout;
  #isChecking = false;

  constructor(sql: Postgres, redis: RedisClient, subscriber: RedisClient) {
    this.#sql = sql;
    this.#redis = redis;
    this.#subscriber = subscriber;
    this.#timer = setInterval(() => {
      if (!this.#isChecking) void this.check();
    }, PING_EVERY_MS);
  }

  /** The part that is away, for `/readyz`; undefined when both answer. */
  findMissing(): 'postgres' | 'redis' | undefined {
    if (!this.#state.postgres) return 'postgres';
    return this.#state.redis && isReady(this.#redis) ? undefined : 'redis';
  }

  /** Why a command cannot be taken now. */
  findRejection(): 'overloaded' | 'dependency_unavailable' | undefined {
    if (this.findMissing() !== undefined) return 'dependency_unavailable';
    return this.#state.hasRedisMemory ? undefined : 'overloaded';
  }

  /** Looks until both answer, or `ms` have passed: a gateway starts without them, too, and refuses. */
  async waitUntilHealthy(ms: number): Promise<void> {
    const until = performance.now() + ms;
    await this.check();
    while (this.findMissing() !== undefined && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, START_PING_EVERY_MS));
      await this.check();
    }
  }

  async check(): Promise<void> {
    this.#isChecking = true;
    await Promise.all([this.#checkPostgres(), this.#checkRedis()]);
    this.#isChecking = false;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #checkPostgres(): Promise<void> {
    try {
      await runWithDeadline(this.#sql`select 1`, PING_TIMEOUT_MS);
      this.#state.postgres = true;
    } catch {
      this.#state.postgres = false;
    }
  }

  async #checkRedis(): Promise<void> {
    try {
      const asked = Promise.all([this.#redis.info('memory'), this.#subscriber.ping()]);
      const [info] = await runWithDeadline(asked, PING_TIMEOUT_MS);
      this.#state.redis = true;
      const limit = readNumber(info, 'maxmemory');
      this.#state.hasRedisMemory =
        limit === 0 || readNumber(info, 'used_memory') < limit * MEMORY_SHARE;
    } catch {
      this.#state.redis = false;
    }
  }
}

function readNumber(info: string, name: string): number {
  return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
}
