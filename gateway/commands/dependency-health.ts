// Pings Postgres, which must be writable, and both Redis connections twice a second, so that the gateway answers 503
// within milliseconds while one of them is away, instead of waiting for it. Redis's memory and the leases of payments
// processes are read by the same pings.
import { runWithDeadline } from '#ops/runtime/deadline.js';
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import type { Postgres } from '#store/postgres/client.js';
import { hasValidLease } from '#store/postgres/payments/partition-leases.js';
import { isReady, readMemoryShare, type RedisClient } from '#store/redis/client.js';

const PING_EVERY_MS = 500;
const PING_DEADLINE_MS = 2_000;
const START_PING_EVERY_MS = 20;
/** The only payments process is replaced within one lease time. */
const LEASES_WITHOUT_PAYMENTS = 2;
/** Beyond this share of Redis's maxmemory commands are rejected, so that the queued ones can drain. */
const MEMORY_SHARE = 0.7;

export interface DependencyHealthDeps {
  /** A pool that slow statements cannot fill, with a short deadline. */
  readonly sql: Postgres;
  readonly redis: RedisClient;
  readonly subscriber: RedisClient;
  /** The connections lead to a former master, from which no process reads. */
  readonly hasFormer: () => boolean;
  readonly leaseMs: number;
  readonly log: Log;
}

export class DependencyHealth {
  readonly #deps: DependencyHealthDeps;
  readonly #loop: Loop;
  #hasPostgres = false;
  #hasRedis = false;
  #hasRedisMemory = true;
  /** While Postgres answers and no payments process has a valid lease. */
  #withoutLeaseSinceMs: number | null = null;

  constructor(deps: DependencyHealthDeps) {
    this.#deps = deps;
    this.#loop = startLoop({
      name: 'dependency health',
      everyMs: PING_EVERY_MS,
      isFirstDelayed: true,
      work: () => this.#check(),
      log: deps.log,
    });
  }

  /** The dependency that is away, for `/readyz`; undefined: both answer. */
  findMissing(): 'postgres' | 'redis' | undefined {
    if (!this.#hasPostgres) return 'postgres';
    const { redis, hasFormer } = this.#deps;
    return this.#hasRedis && isReady(redis) && !hasFormer() ? undefined : 'redis';
  }

  /** False after two lease times without a valid lease of a payments process: commands wait, and creates are answered 504. */
  hasPayments(): boolean {
    const sinceMs = this.#withoutLeaseSinceMs;
    const graceMs = LEASES_WITHOUT_PAYMENTS * this.#deps.leaseMs;
    return sinceMs === null || performance.now() - sinceMs <= graceMs;
  }

  /** Why a command cannot be accepted now; undefined: it can. */
  findRejection(): 'overloaded' | 'dependency_unavailable' | undefined {
    if (this.findMissing() !== undefined) return 'dependency_unavailable';
    return this.#hasRedisMemory ? undefined : 'overloaded';
  }

  /** Pings until both answer, or for `ms`: a gateway also starts without them, and answers 503 until they are back. */
  async waitUntilHealthy(ms: number): Promise<void> {
    const until = performance.now() + ms;
    await this.#check();
    while (this.findMissing() !== undefined && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, START_PING_EVERY_MS));
      await this.#check();
    }
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #check(): Promise<void> {
    await Promise.all([this.#checkPostgres(), this.#checkRedis()]);
  }

  async #checkPostgres(): Promise<void> {
    try {
      const hasLease = await hasValidLease(this.#deps.sql);
      this.#hasPostgres = true;
      this.#withoutLeaseSinceMs = hasLease
        ? null
        : (this.#withoutLeaseSinceMs ?? performance.now());
    } catch {
      this.#hasPostgres = false;
      this.#withoutLeaseSinceMs = null;
    }
  }

  async #checkRedis(): Promise<void> {
    const { redis, subscriber } = this.#deps;
    try {
      const pings = Promise.all([readMemoryShare(redis), subscriber.ping()]);
      const [usedShare] = await runWithDeadline(pings, PING_DEADLINE_MS);
      this.#hasRedis = true;
      this.#hasRedisMemory = usedShare < MEMORY_SHARE;
    } catch {
      this.#hasRedis = false;
    }
  }
}
