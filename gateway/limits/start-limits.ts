// Starts the rate limits of requests and of logins, which share their buckets.
import { createCounter } from '#ops/runtime/metrics.js';
import type { Process } from '#ops/runtime/process.js';
import { Buckets } from '#store/redis/limits/buckets.js';
import { createRequestCount, type RequestCountDeps } from '#store/redis/limits/count-requests.js';
import { createAddressList, isListed } from '../routing/client-address.js';
import { createLimit, type Limit } from './limits.js';
import { createLoginThrottle, type LoginThrottle } from './login-throttle.js';
import { REFUSING_BUCKETS } from './public-limits.js';

interface LimitDeps extends Pick<RequestCountDeps, 'redis'> {
  /** Called with the account of a login that its lock refuses. */
  readonly onLockout: (account: string) => void;
}

/** `limit` undefined: all limits of requests are off. */
export function startLimits(
  { config: { limits: numbers, trustedProxies }, lifecycle, registry, log }: Process,
  { redis, onLockout }: LimitDeps,
): { limit: Limit | undefined; throttle: LoginThrottle } {
  const buckets = new Buckets({
    count: createRequestCount({ redis, registry, log }),
    monotonicMs: () => performance.now(),
  });
  lifecycle.onStop('rate limits', () => buckets.stop());
  const throttle = createLoginThrottle(numbers.loginPerQuarterHour, buckets, onLockout);
  const proxies = createAddressList(trustedProxies);
  const refusals = createCounter(
    registry,
    'gateway_public_refusals_total',
    'Requests of public routes that were refused for their cost',
    { bucket: REFUSING_BUCKETS },
  );
  const limit = createLimit(numbers, buckets, {
    isTrusted: (address) => isListed(proxies, address),
    onRefused: (bucket) => refusals.inc({ bucket }),
  });
  return { limit, throttle };
}
