// Which requests are limited, and what they are told of it: API.md section 1, Limits. A row of a route table
// names its kind of limit; a kind without a rule is switched off and costs nothing.
import type { Credential } from '#actors/core/api-key.js';
import { networkOf } from '../auth/address.js';
import { type HeaderPair, type Refusal, refuse } from '../http/answer.js';
import { type Buckets, type Level, type Rule } from './buckets.js';

/**
 * key: per merchant and environment. sandbox: per client address. checkout: per client address and payment, the
 * second segment of the path. auth: per client address, on paths of accounts that need no session. login: counted
 * by the handlers (login-throttle.ts), which know the account. Of IPv6 the network counts as the address.
 */
export type LimitKind = 'key' | 'sandbox' | 'checkout' | 'auth' | 'login';

export interface LimitNumbers {
  /** 0 switches a limit off. */
  readonly keyPerSecond: number;
  readonly sandboxPerMinute: number;
  readonly checkoutPerMinute: number;
  readonly loginPerQuarterHour: number;
}

/** Who asks. */
export interface LimitSubject {
  readonly credential: Credential | undefined;
  readonly path: string;
  readonly address: () => string;
}

/** `lines`: header lines for the answer, each after a line break. */
export type Admitted = { readonly code: null; readonly lines: string };
export type Limit = (kind: LimitKind, subject: LimitSubject) => Admitted | Refusal;

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** An office full of people has one address. */
const AUTH_PER_LOGIN = 12;
const UNLIMITED: Admitted = { code: null, lines: '' };

/** undefined: all limits are off. */
export function createLimit(numbers: LimitNumbers, buckets: Buckets): Limit | undefined {
  const { keyPerSecond, sandboxPerMinute, checkoutPerMinute, loginPerQuarterHour } = numbers;
  const authPerQuarterHour = loginPerQuarterHour * AUTH_PER_LOGIN;
  const rules: Readonly<Record<LimitKind, Rule | undefined>> = {
    key: ruleOf(2 * keyPerSecond, SECOND_MS / keyPerSecond),
    sandbox: ruleOf(sandboxPerMinute, MINUTE_MS / sandboxPerMinute),
    checkout: ruleOf(checkoutPerMinute, MINUTE_MS / checkoutPerMinute),
    auth: ruleOf(authPerQuarterHour, (15 * MINUTE_MS) / authPerQuarterHour),
    login: undefined,
  };
  if (Object.values(rules).every((rule) => rule === undefined)) return undefined;
  return (kind, subject) => {
    const rule = rules[kind];
    const name = rule === undefined ? '' : nameBucket(kind, subject);
    if (rule === undefined || name === '') return UNLIMITED;
    const level = buckets.take(name, rule);
    return level.isWithin ? { code: null, lines: writeLines(rule, level) } : refuseFor(rule, level);
  };
}

function ruleOf(burst: number, costMs: number): Rule | undefined {
  return burst === 0 ? undefined : { burst, costMs };
}

/** Empty: the client has gone, or there is nobody to count for. */
function nameBucket(kind: LimitKind, { credential, path, address }: LimitSubject): string {
  switch (kind) {
    case 'key':
      return credential === undefined
        ? ''
        : `key:${credential.merchantId}:${credential.environment}`;
    case 'sandbox':
    case 'auth': {
      const client = networkOf(address());
      return client === '' ? '' : `${kind}:${client}`;
    }
    case 'login':
      return '';
    case 'checkout': {
      const client = networkOf(address());
      return client === '' ? '' : `checkout:${path.split('/', 3)[2] ?? ''}:${client}`;
    }
  }
}

const LIMIT = 'RateLimit-Limit';
const REMAINING = 'RateLimit-Remaining';
const RESET = 'RateLimit-Reset';
const toSeconds = (ms: number): number => Math.ceil(ms / SECOND_MS);

/** Limit: what an empty bucket takes at once. Reset: seconds until it is empty. */
function writeLines({ burst }: Rule, { remaining, resetMs }: Level): string {
  return `\r\n${LIMIT}: ${burst}\r\n${REMAINING}: ${remaining}\r\n${RESET}: ${toSeconds(resetMs)}`;
}

/** The same, for answers that carry headers of their own. */
export function limitHeaders({ burst }: Rule, { remaining, resetMs }: Level): HeaderPair[] {
  return [
    [LIMIT, String(burst)],
    [REMAINING, String(remaining)],
    [RESET, String(toSeconds(resetMs))],
  ];
}

function refuseFor(rule: Rule, level: Level): Refusal {
  return refuse('rate_limited', {
    retryAfterSeconds: toSeconds(level.waitMs),
    headers: limitHeaders(rule, level),
  });
}
