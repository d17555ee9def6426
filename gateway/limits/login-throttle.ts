// Guessing passwords: API.md section 1. Attempts are counted by account and address, by account, and by address;
// the one that logs in is taken back, so that only what fails adds up.
import { hash } from 'node:crypto';
import { networkOf } from '../routing/client-address.js';
import { type HeaderPair, type Refusal, refuse } from '../routing/response.js';
import type { Buckets, Level, Rule } from './buckets.js';
import { limitHeaders } from './limits.js';

const QUARTER_HOUR_MS = 15 * 60_000;
const HOUR_MS = 60 * 60_000;
/** Of all addresses together; the contract gives 100 where one address has 5. */
const PER_ACCOUNT_FACTOR = 20;
/** Of all accounts together: spraying one password over many of them. */
const PER_ADDRESS_FACTOR = 12;

export interface Attempt {
  /** undefined: it may be made. */
  readonly refusal: Refusal | undefined;
  readonly headers: readonly HeaderPair[];
  /** It was right after all. */
  giveBack(): void;
}

export interface LoginThrottle {
  /** Counts an attempt to log in, or to prove a password or a code. */
  take(account: string, address: string): Attempt;
}

const FREE: Attempt = { refusal: undefined, headers: [], giveBack: () => undefined };

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
  } satisfies Record<string, Rule>;
  return {
    take(account, address) {
      const client = networkOf(address);
      // Redis learns no address of a person.
      const name = hash('sha256', account, 'base64url').slice(0, 22);
      const counted: [string, Rule][] = [
        [`login:${name}:${client}`, rules.pair],
        [`login:${name}`, rules.account],
        [`login-from:${client}`, rules.address],
      ];
      return takeAll(buckets, counted);
    },
  };
}

/** All of them or none: what one refuses is not counted by the others. */
function takeAll(buckets: Buckets, counted: readonly [string, Rule][]): Attempt {
  const taken: [string, Rule][] = [];
  const giveBack = (): void => {
    for (const [name, rule] of taken.splice(0)) buckets.giveBack(name, rule);
  };
  let shown: readonly HeaderPair[] = [];
  for (const [name, rule] of counted) {
    const level = buckets.take(name, rule);
    const headers = limitHeaders(rule, level);
    if (!level.isWithin) {
      giveBack();
      return { refusal: refuseAttempt(level, headers), headers, giveBack };
    }
    if (taken.length === 0) shown = headers;
    taken.push([name, rule]);
  }
  return { refusal: undefined, headers: shown, giveBack };
}

function refuseAttempt({ waitMs }: Level, headers: readonly HeaderPair[]): Refusal {
  const message = 'Too many attempts. Wait, then try again.';
  return refuse('rate_limited', {
    message,
    retryAfterSeconds: Math.ceil(waitMs / 1_000),
    headers,
  });
}
