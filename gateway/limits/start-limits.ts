// Starts the rate limits of requests and of logins, which share their buckets.
import type { Lifecycle } from '#ops/runtime/lifecycle.js';
import { Buckets } from '#store/redis/buckets.js';
import { createRequestCount, type RequestCountDeps } from '#store/redis/count-requests.js';
import { createLimit, type Limit, type LimitNumbers } from './limits.js';
import { createLoginThrottle, type LoginThrottle } from './login-throttle.js';

interface LimitDeps extends RequestCountDeps {
  readonly limits: LimitNumbers;
  readonly lifecycle: Lifecycle;
  /** Called with the account of a login that its lock refuses. */
  readonly onLockout: (account: string) => void;
}

/** `limit` undefined: all limits of requests are off. */
export function startLimits({ limits: numbers, lifecycle, onLockout, ...deps }: LimitDeps): {
  limit: Limit | undefined;
  throttle: LoginThrottle;
} {
  const buckets = new Buckets({
    count: createRequestCount(deps),
    monotonicMs: () => performance.now(),
  });
  lifecycle.onStop('rate limits', () => buckets.stop());
  const throttle = createLoginThrottle(numbers.loginPerQuarterHour, buckets, onLockout);
  return { limit: createLimit(numbers, buckets), throttle };
}
