// Starts the rate limits of requests and of logins, which share their buckets.
import type { Lifecycle } from '#ops/runtime/lifecycle.js';
import type { RedisClient } from '#store/redis/client.js';
import { Buckets } from '#store/redis/buckets.js';
import { countRequests } from '#store/redis/count-requests.js';
import { createLimit, type Limit, type LimitNumbers } from './limits.js';
import { createLoginThrottle, type LoginThrottle } from './login-throttle.js';

interface LimitDeps {
  readonly limits: LimitNumbers;
  readonly redis: RedisClient;
  readonly lifecycle: Lifecycle;
  /** Called with the account of a login that its lock refuses. */
  readonly onLockout: (account: string) => void;
}

/** `limit` undefined: all limits of requests are off. */
export function startLimits({ limits: numbers, redis, lifecycle, onLockout }: LimitDeps): {
  limit: Limit | undefined;
  throttle: LoginThrottle;
} {
  const buckets = new Buckets({
    count: (counts) => countRequests(redis, counts),
    monotonicMs: () => performance.now(),
  });
  lifecycle.onStop('rate limits', () => buckets.stop());
  const throttle = createLoginThrottle(numbers.loginPerQuarterHour, buckets, onLockout);
  return { limit: createLimit(numbers, buckets), throttle };
}
