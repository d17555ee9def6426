// Limits guesses of passwords, and mails with links to choose a new one. Attempts count by account and address, by account, and by address; a successful one is
// refunded, so only failures add up.
import { hash } from 'node:crypto';
import { listNetworks } from '../routing/client-address.js';
import { type HeaderPair, type ApiError, buildApiError } from '../routing/response.js';
import type { BucketCounter, BucketRule, Buckets } from '#store/redis/buckets.js';
import { buildLimitHeaders, widenRule } from './limits.js';

const QUARTER_HOUR_MS = 15 * 60_000;
const HOUR_MS = 60 * 60_000;
/** All addresses together: the contract allows 100 where one address has 5. */
const PER_ACCOUNT_FACTOR = 20;
/** All accounts together: limits trying one password on many accounts. */
const PER_ADDRESS_FACTOR = 12;

export interface LoginAttempt {
  /** undefined: the attempt may be made. */
  readonly error: ApiError | undefined;
  readonly headers: readonly HeaderPair[];
  /** Takes the attempt back after it succeeded. */
  refund(): void;
}

export interface LoginThrottle {
  /** Counts an attempt to log in, or to prove a password or a code. */
  take(account: string, address: string): LoginAttempt;
  /** Counts a mail with a link to choose a new password. False: the account got enough of them. */
  takeReset(account: string): boolean;
  /** The same for a mail that verifies its address. */
  takeVerification(account: string): boolean;
}

const FREE: LoginAttempt = { error: undefined, headers: [], refund: () => undefined };

const NO_THROTTLE: LoginThrottle = {
  take: () => FREE,
  takeReset: () => true,
  takeVerification: () => true,
};

/** `perQuarterHour` 0: the limit is off. `onLockout` is called with an account that is locked, whether it exists or not. */
export function createLoginThrottle(
  perQuarterHour: number,
  buckets: Buckets,
  onLockout: (account: string) => void,
): LoginThrottle {
  if (perQuarterHour === 0) return NO_THROTTLE;
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
      const networks = listNetworks(address);
      const name = hashAccount(account);
      const count = (prefix: string, rule: BucketRule): BucketCounter[] =>
        networks.map((network) => [`${prefix}:${network.name}`, widenRule(rule, network.budgets)]);
      const ofAccount = takeAttempt(buckets, [
        ...count(`login:${name}`, rules.pair),
        [`login:${name}`, rules.account],
      ]);
      if (ofAccount.error !== undefined) {
        onLockout(account);
        return ofAccount;
      }
      const ofClient = takeAttempt(buckets, count('login-from', rules.address));
      const refund = (): void => {
        ofAccount.refund();
        ofClient.refund();
      };
      if (ofClient.error === undefined) return { ...ofAccount, refund };
      refund();
      return ofClient;
    },
    // By account only: the requests of a client have a limit of their own (routing/route.ts, `auth`), and a limit over all
    // accounts would let one client switch resets off for everybody.
    takeReset: (account) => buckets.take(`reset:${hashAccount(account)}`, rules.pair).isWithin,
    takeVerification: (account) =>
      buckets.take(`verify:${hashAccount(account)}`, rules.pair).isWithin,
  };
}

/** Redis must not hold e-mail addresses. */
const hashAccount = (account: string): string => hash('sha256', account, 'base64url').slice(0, 22);

function takeAttempt(buckets: Buckets, counters: readonly BucketCounter[]): LoginAttempt {
  const level = buckets.takeAll(counters);
  if (level === undefined) return FREE;
  const headers = buildLimitHeaders(level);
  const error = level.isWithin ? undefined : buildAttemptError(level.waitMs, headers);
  const taken = level.isWithin ? [...counters] : [];
  return {
    error,
    headers,
    refund: () => {
      for (const [name, rule] of taken.splice(0)) buckets.refund(name, rule);
    },
  };
}

function buildAttemptError(waitMs: number, headers: readonly HeaderPair[]): ApiError {
  const retryAfterSeconds = Math.ceil(waitMs / 1_000);
  return buildApiError('rate_limited', {
    message: `Too many attempts. Wait ${retryAfterSeconds} s, then try again.`,
    retryAfterSeconds,
    headers,
  });
}
