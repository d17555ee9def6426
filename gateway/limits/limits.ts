// Which requests are limited, and what they are told of it. A row of a route table
// names its kind of limit; a kind without a rule is switched off and costs nothing.
import type { Credential } from '#actors/core/api-key.js';
import { findNetwork } from '../routing/client-address.js';
import { type HeaderPair, type ApiError, buildApiError } from '../routing/response.js';
import type { LimitKind } from '../routing/route.js';
import { type Buckets, type BucketLevel, type BucketRule } from './buckets.js';

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
export type Limit = (kind: LimitKind, subject: LimitSubject) => Admitted | ApiError;

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** An office full of people has one address. */
const AUTH_PER_LOGIN = 12;
const UNLIMITED: Admitted = { code: null, lines: '' };

/** undefined: all limits are off. */
export function createLimit(numbers: LimitNumbers, buckets: Buckets): Limit | undefined {
  const { keyPerSecond, sandboxPerMinute, checkoutPerMinute, loginPerQuarterHour } = numbers;
  const authPerQuarterHour = loginPerQuarterHour * AUTH_PER_LOGIN;
  const rules: Readonly<Record<LimitKind, BucketRule | undefined>> = {
    key: buildRule(2 * keyPerSecond, SECOND_MS / keyPerSecond),
    sandbox: buildRule(sandboxPerMinute, MINUTE_MS / sandboxPerMinute),
    checkout: buildRule(checkoutPerMinute, MINUTE_MS / checkoutPerMinute),
    auth: buildRule(authPerQuarterHour, (15 * MINUTE_MS) / authPerQuarterHour),
    login: undefined,
  };
  if (Object.values(rules).every((rule) => rule === undefined)) return undefined;
  return (kind, subject) => {
    const rule = rules[kind];
    const name = rule === undefined ? '' : formatBucketName(kind, subject);
    if (rule === undefined || name === '') return UNLIMITED;
    const level = buckets.take(name, rule);
    return level.isWithin
      ? { code: null, lines: writeLines(rule, level) }
      : buildLimitError(rule, level);
  };
}

function buildRule(burst: number, costMs: number): BucketRule | undefined {
  return burst === 0 ? undefined : { burst, costMs };
}

/** Empty: the client has gone, or there is nobody to count for. */
function formatBucketName(kind: LimitKind, { credential, path, address }: LimitSubject): string {
  switch (kind) {
    case 'key':
      return credential === undefined
        ? ''
        : `key:${credential.merchantId}:${credential.environment}`;
    case 'sandbox':
    case 'auth': {
      const client = findNetwork(address());
      return client === '' ? '' : `${kind}:${client}`;
    }
    case 'login':
      return '';
    case 'checkout': {
      const client = findNetwork(address());
      return client === '' ? '' : `checkout:${path.split('/', 3)[2] ?? ''}:${client}`;
    }
  }
}

const LIMIT = 'RateLimit-Limit';
const REMAINING = 'RateLimit-Remaining';
const RESET = 'RateLimit-Reset';
const roundUpToSeconds = (ms: number): number => Math.ceil(ms / SECOND_MS);

/** Limit: what an empty bucket takes at once. Reset: seconds until it is empty. */
function writeLines({ burst }: BucketRule, { remaining, resetMs }: BucketLevel): string {
  return `\r\n${LIMIT}: ${burst}\r\n${REMAINING}: ${remaining}\r\n${RESET}: ${roundUpToSeconds(resetMs)}`;
}

/** The same, for answers that carry headers of their own. */
export function buildLimitHeaders(
  { burst }: BucketRule,
  { remaining, resetMs }: BucketLevel,
): HeaderPair[] {
  return [
    [LIMIT, String(burst)],
    [REMAINING, String(remaining)],
    [RESET, String(roundUpToSeconds(resetMs))],
  ];
}

function buildLimitError(rule: BucketRule, level: BucketLevel): ApiError {
  return buildApiError('rate_limited', {
    retryAfterSeconds: roundUpToSeconds(level.waitMs),
    headers: buildLimitHeaders(rule, level),
  });
}
