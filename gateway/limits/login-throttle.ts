// Limits guesses of passwords, and mails with links to choose a new one. Attempts count by account and address, by account, and
// by address; a successful one is refunded, so only failures add up. Attempts in a session count by its user, apart from
// those: strangers who fail to log in keep nobody who is logged in from proving a password or a code. For the same reason
// attempts of a browser that has logged in to the account before (auth/device-cookie.ts) count by that browser alone. Guesses
// gain little by it: one account has as many more as its user has used browsers.
import { hash } from 'node:crypto';
import { listNetworks } from '../routing/client-address.js';
import type { Session } from '../routing/request.js';
import { type HeaderPair, type ApiError, buildApiError } from '../routing/response.js';
import type { BucketCounter, BucketRule, Buckets } from '#store/redis/limits/buckets.js';
import { widenRule } from './client-counters.js';
import { buildLimitHeaders } from './limits.js';

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
  /**
   * Counts an attempt to log in. `device`: the browser, if it has logged in to the account before, or the link that was mailed
   * to the account.
   */
  take(account: string, address: string, device?: string): LoginAttempt;
  /** Counts an attempt to prove a password or a code in a session. */
  takeInSession(session: Session, address: string): LoginAttempt;
  /**
   * Counts a request for a mail with a link to choose a new password. False: the client has asked often enough for this
   * account. Other clients may ask nevertheless; all mails to one mailbox have limits of their own (functions/mails.sql).
   */
  takeReset(account: string, address: string): boolean;
  /** The same for a mail that verifies its address. */
  takeVerification(account: string, address: string): boolean;
}

const FREE: LoginAttempt = { error: undefined, headers: [], refund: () => undefined };

const NO_THROTTLE: LoginThrottle = {
  take: () => FREE,
  takeInSession: () => FREE,
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
  const rules = buildRules(perQuarterHour);
  const takeLink = (prefix: string, account: string, address: string): boolean => {
    const counters = listCounters(`${prefix}:${hashAccount(account)}`, rules.link, address);
    return takeAttempt(buckets, counters).error === undefined;
  };
  const takeOfDevice = (account: string, device: string): LoginAttempt => {
    const attempt = takeAttempt(buckets, [[`device:${device}`, rules.pair]]);
    if (attempt.error !== undefined) onLockout(account);
    return attempt;
  };
  return {
    take(account, address, device) {
      if (device !== undefined) return takeOfDevice(account, device);
      const name = `login:${hashAccount(account)}`;
      const ofAccount = takeAttempt(buckets, [
        ...listCounters(name, rules.pair, address),
        [name, rules.account],
      ]);
      if (ofAccount.error !== undefined) {
        onLockout(account);
        return ofAccount;
      }
      const ofClient = takeAttempt(buckets, listCounters('login-from', rules.address, address));
      const refund = (): void => {
        ofAccount.refund();
        ofClient.refund();
      };
      if (ofClient.error === undefined) return { ...ofAccount, refund };
      refund();
      return ofClient;
    },
    takeInSession({ userId, email }, address) {
      const name = `proof:${userId}`;
      const counters = listCounters(name, rules.pair, address);
      const attempt = takeAttempt(buckets, [...counters, [name, rules.account]]);
      if (attempt.error !== undefined) onLockout(email);
      return attempt;
    },
    // By account and client only: a limit of an account would let one client use it up for the owner, and a limit over all
    // accounts for everybody. All requests of a client have a limit of their own (routing/route.ts, `auth`).
    takeReset: (account, address) => takeLink('reset', account, address),
    takeVerification: (account, address) => takeLink('verify', account, address),
  };
}

function buildRules(perQuarterHour: number) {
  return {
    pair: { burst: perQuarterHour, costMs: QUARTER_HOUR_MS / perQuarterHour },
    account: {
      burst: perQuarterHour * PER_ACCOUNT_FACTOR,
      costMs: HOUR_MS / (perQuarterHour * PER_ACCOUNT_FACTOR),
    },
    address: {
      burst: perQuarterHour * PER_ADDRESS_FACTOR,
      costMs: QUARTER_HOUR_MS / (perQuarterHour * PER_ADDRESS_FACTOR),
    },
    /** As often as a mailbox gets a link beyond its daily limit. */
    link: { burst: perQuarterHour, costMs: HOUR_MS },
  } satisfies Record<string, BucketRule>;
}

/** By the client: by each of its networks. */
const listCounters = (name: string, rule: BucketRule, address: string): BucketCounter[] =>
  listNetworks(address).map((network) => [
    `${name}:${network.name}`,
    widenRule(rule, network.budgets),
  ]);

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
