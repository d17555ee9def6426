// Protects passwords from being guessed. Attempts are counted by account and address, by account, and by address;
// the one that logs in is taken back, so that only what fails adds up.
import { hash } from 'node:crypto';
import { findNetwork } from '../routing/client-address.js';
import { type HeaderPair, type ApiError, buildApiError } from '../routing/response.js';
import type { Buckets, BucketLevel, BucketRule } from './buckets.js';
import { buildLimitHeaders } from './limits.js';

const QUARTER_HOUR_MS = 15 * 60_000;
const HOUR_MS = 60 * 60_000;
/** Of all addresses together; the contract gives 100 where one address has 5. */
const PER_ACCOUNT_FACTOR = 20;
/** Of all accounts together: spraying one password over many of them. */
const PER_ADDRESS_FACTOR = 12;

export interface LoginAttempt {
  /** undefined: it may be made. */
  readonly error: ApiError | undefined;
  readonly headers: readonly HeaderPair[];
  /** It was right after all. */
  refund(): void;
}

export interface LoginThrottle {
  /** Counts an attempt to log in, or to prove a password or a code. */
  take(account: string, address: string): LoginAttempt;
}

const FREE: LoginAttempt = { error: undefined, headers: [], refund: () => undefined };

/** `perQuarterHour` 0: nothing is counted. */
export function createLoginThrottle(perQuarterHour: number, buckets: Buckets): LoginThrottle {
  if (perQuarterHour === 0) return { take: () => FREE };
  const rules = {
    pair: { burst: perQuarterHour, costMs: QUARTER_HOUR_MS / perQuarterHour },
    account: {
      burst: perQuarterHour * PER_ACCOUNT_FACTOR,
      costMs: HOUR_MS / (perQuarterHour * PER_ACCOUNT_FACTOR),
    },
    address: {
      burst: perQuarterHour * PER_ADDRESS_FACTOR,
      costMs: QUARTER_HOUR_MS / (perQuarterHour * PER_ADDRESS_FACTOR),
    },
  } satisfies Record<string, BucketRule>;
  return {
    take(account, address) {
      const client = findNetwork(address);
      // Redis learns no address of a person.
      const name = hash('sha256', account, 'base64url').slice(0, 22);
      const counted: [string, BucketRule][] = [
        [`login:${name}:${client}`, rules.pair],
        [`login:${name}`, rules.account],
        [`login-from:${client}`, rules.address],
      ];
      return takeAll(buckets, counted);
    },
  };
}

/** All of them or none: what one refuses is not counted by the others. */
function takeAll(buckets: Buckets, counted: readonly [string, BucketRule][]): LoginAttempt {
  const taken: [string, BucketRule][] = [];
  const giveBack = (): void => {
    for (const [name, rule] of taken.splice(0)) buckets.refund(name, rule);
  };
  let shown: readonly HeaderPair[] = [];
  for (const [name, rule] of counted) {
    const level = buckets.take(name, rule);
    const headers = buildLimitHeaders(rule, level);
    if (!level.isWithin) {
      giveBack();
      return { error: buildAttemptError(level, headers), headers, refund: giveBack };
    }
    if (taken.length === 0) shown = headers;
    taken.push([name, rule]);
  }
  return { error: undefined, headers: shown, refund: giveBack };
}

function buildAttemptError({ waitMs }: BucketLevel, headers: readonly HeaderPair[]): ApiError {
  const message = 'Too many attempts. Wait, then try again.';
  return buildApiError('rate_limited', {
    message,
    retryAfterSeconds: Math.ceil(waitMs / 1_000),
    headers,
  });
}
