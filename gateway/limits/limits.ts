// Rate limits of requests and their response headers. A route names its kind of limit (routing/route.ts); a kind without a
// rule is off and costs nothing.
import type { Credential } from '#actors/core/api-key.js';
import { findNetwork } from '../routing/client-address.js';
import { type HeaderPair, type ApiError, buildApiError } from '../routing/response.js';
import type { LimitKind } from '../routing/route.js';
import type { BucketLevel, BucketRule, Buckets } from '#store/redis/buckets.js';

export interface LimitNumbers {
  /** 0 switches a limit off. */
  readonly keyPerSecond: number;
  readonly sandboxPerMinute: number;
  readonly checkoutPerMinute: number;
  readonly loginPerQuarterHour: number;
}

/** The client that a limit counts. */
export interface LimitSubject {
  readonly credential: Credential | undefined;
  readonly path: string;
  readonly address: () => string;
}

/** `lines`: header lines for the answer, each after a line break. */
export type WithinLimit = { readonly code: null; readonly lines: string };
export type Limit = (kind: LimitKind, subject: LimitSubject) => WithinLimit | ApiError;

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** The people of an office share one address. */
const AUTH_PER_LOGIN = 12;
const UNLIMITED: WithinLimit = { code: null, lines: '' };

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

/** Empty: the client disconnected, or there is no client to count. */
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

/** Limit: the requests that an empty bucket takes at once. Reset: the seconds until it is empty. */
function writeLines({ burst }: BucketRule, { remaining, resetMs }: BucketLevel): string {
  return `\r\n${LIMIT}: ${burst}\r\n${REMAINING}: ${remaining}\r\n${RESET}: ${roundUpToSeconds(resetMs)}`;
}

/** The same headers as pairs, for answers with headers of their own. */
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
