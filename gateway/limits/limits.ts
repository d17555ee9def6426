// Rate limits of requests and their response headers. A route names its kind of limit (routing/route.ts). A request counts
// in all buckets of its kind, or in none when one of them is full. A kind without rules is off and costs nothing. A request of
// a public route counts by its cost too (public-limits.ts).
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Credential } from '#actors/core/api-key.js';
import type { Session } from '../routing/request.js';
import { type HeaderPair, type ApiError, buildApiError } from '../routing/response.js';
import type { LimitKind } from '../routing/route.js';
import type {
  BucketCounter,
  BucketLevel,
  BucketRule,
  Buckets,
} from '#store/redis/limits/buckets.js';
import { listClientCounters, widenRule } from './client-counters.js';
import {
  type CostDeps,
  type CostlyRoute,
  createCostLimit,
  type TakeCost,
} from './public-limits.js';

export interface LimitNumbers {
  /** 0 switches a limit off. */
  readonly keyPerSecond: number;
  readonly sessionPerSecond: number;
  readonly sandboxPerMinute: number;
  readonly checkoutPerMinute: number;
  readonly loginPerQuarterHour: number;
  /** CPU time that one client may use on public routes. */
  readonly publicMsPerSecond: number;
}

/** The client that a limit counts. */
export interface LimitSubject {
  readonly credential?: Credential | undefined;
  readonly session?: Session | undefined;
  readonly route?: CostlyRoute;
  readonly path: string;
  readonly address: () => string;
}

/** `lines`: header lines for the answer, each after a line break. */
export interface WithinLimit {
  readonly code: null;
  readonly lines: string;
  /** Call it with the status of the answer: what does not exist uses up a limit of its own. */
  readonly settle?: ((status: number) => void) | undefined;
}
export type Limit = (kind: LimitKind, subject: LimitSubject) => WithinLimit | ApiError;

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** The people of an office share one address. */
const AUTH_PER_LOGIN = 12;
/** Sessions of one merchant that may be used at their limit at the same time. */
const SESSIONS_PER_MERCHANT = 5;
/** Documents, and logos, that a merchant may send at once, and then in a minute; a whole verification needs about ten. */
const UPLOADS_AT_ONCE = 20;
const UPLOADS_PER_MINUTE = 4;
/** Pages that one client may use at the limit of a page: a mobile network has one address for many customers. */
const PAGES_PER_CLIENT = 30;
/** A client that guesses ids gets this part of the limit of a page. */
const UNKNOWN_PAGES_DIVISOR = 4;
/** Seconds of a session's limit that one client may use at once for sessions that do not exist, and then in a second. */
const UNKNOWN_SESSIONS_S = 5;
const UNKNOWN_SESSIONS_DIVISOR = 4;
/** Pages and sessions that were found lately. They stay open while somebody at the same address guesses. */
const MAX_KNOWN = 10_000;
/** Longer than each id; the rest of a longer path is left out of the names of buckets. */
const MAX_PAGE_CHARACTERS = 64;
const UNKNOWN = 404;
const REFUSED = 403;
export const UNLIMITED: WithinLimit = { code: null, lines: '' };

interface Rules {
  readonly key: BucketRule | undefined;
  readonly session: BucketRule | undefined;
  readonly merchant: BucketRule | undefined;
  readonly upload: BucketRule | undefined;
  readonly sandbox: BucketRule | undefined;
  readonly auth: BucketRule | undefined;
  readonly page: BucketRule | undefined;
  readonly pages: BucketRule | undefined;
  readonly unknownPages: BucketRule | undefined;
  readonly unknownSessions: BucketRule | undefined;
}

/** undefined: all limits are off. */
export function createLimit(
  numbers: LimitNumbers,
  buckets: Buckets,
  costDeps: CostDeps = { isTrusted: () => false, onRefused: () => undefined },
): Limit | undefined {
  const rules = buildRules(numbers);
  const isOff = Object.values(rules).every((rule) => rule === undefined);
  if (isOff && numbers.publicMsPerSecond === 0) return undefined;
  const take = createTake(buckets, createCostLimit(numbers.publicMsPerSecond, buckets, costDeps));
  const takePage = createPageLimit(rules, buckets, take);
  const takeSession = createSessionGuessLimit(rules, buckets);
  return (kind, subject) => {
    if (kind === 'key') return takeKey(rules.key, buckets, subject);
    if (kind === 'checkout') return takePage(subject);
    if (kind === 'guess') return takeSession(subject);
    const answer = take(listCounters(kind, rules, subject), subject);
    if (answer.code !== null) return answer;
    if (kind === 'callback') return settleCallback(answer);
    // The handler adds the headers of its own limit.
    return kind === 'login' ? UNLIMITED : answer;
  };
}

interface Taken extends WithinLimit {
  readonly refundCost: () => void;
}
type Take = (
  counters: readonly BucketCounter[],
  subject: LimitSubject,
  isKnown?: boolean,
) => Taken | ApiError;

/** Counts a request in the buckets of its kind and, on a public route, in those of its cost. */
function createTake(buckets: Buckets, takeCost: TakeCost): Take {
  return (counters, { route, address }, isKnown = false) => {
    const level = buckets.takeAll(counters);
    const answer = answerLevel(level);
    if (answer.code !== null) return answer;
    const { full, refund } = takeCost({ route, address, isKnown });
    if (full === undefined) return { ...answer, refundCost: refund };
    for (const [name, rule] of counters) buckets.refund(name, rule);
    return answerFull(full, COST_MESSAGE);
  };
}

/** A stranger cannot sign a callback, so that a rail may send as many as it has. */
const settleCallback = ({ lines, refundCost }: Taken): WithinLimit => ({
  ...{ code: null, lines },
  settle: (status) => {
    if (status < 400) refundCost();
  },
});

function buildRules(numbers: LimitNumbers): Rules {
  const { keyPerSecond, sessionPerSecond, sandboxPerMinute, checkoutPerMinute } = numbers;
  const session = buildRule(2 * sessionPerSecond, SECOND_MS / sessionPerSecond);
  const page = buildRule(checkoutPerMinute, MINUTE_MS / checkoutPerMinute);
  const unknownPerMinute = Math.ceil(checkoutPerMinute / UNKNOWN_PAGES_DIVISOR);
  const authPerQuarterHour = numbers.loginPerQuarterHour * AUTH_PER_LOGIN;
  return {
    key: buildRule(2 * keyPerSecond, SECOND_MS / keyPerSecond),
    session,
    merchant: session && widenRule(session, SESSIONS_PER_MERCHANT),
    upload: session && buildRule(UPLOADS_AT_ONCE, MINUTE_MS / UPLOADS_PER_MINUTE),
    sandbox: buildRule(sandboxPerMinute, MINUTE_MS / sandboxPerMinute),
    auth: buildRule(authPerQuarterHour, (15 * MINUTE_MS) / authPerQuarterHour),
    page,
    pages: page && widenRule(page, PAGES_PER_CLIENT),
    unknownPages: buildRule(unknownPerMinute, MINUTE_MS / unknownPerMinute),
    unknownSessions: buildRule(
      sessionPerSecond * UNKNOWN_SESSIONS_S,
      (SECOND_MS * UNKNOWN_SESSIONS_DIVISOR) / sessionPerSecond,
    ),
  };
}

function buildRule(burst: number, costMs: number): BucketRule | undefined {
  return burst === 0 ? undefined : { burst, costMs };
}

/** Of the hot path: one bucket, and no list of them. */
function takeKey(
  rule: BucketRule | undefined,
  buckets: Buckets,
  { credential }: LimitSubject,
): WithinLimit | ApiError {
  if (rule === undefined || credential === undefined) return UNLIMITED;
  return answerLevel(buckets.take(`key:${credential.merchantId}:${credential.environment}`, rule));
}

function listCounters(
  kind: Exclude<LimitKind, 'key' | 'checkout' | 'guess'>,
  rules: Rules,
  { session, address }: LimitSubject,
): readonly BucketCounter[] {
  switch (kind) {
    case 'session':
    case 'login':
      return listSessionCounters(rules, session);
    case 'upload':
    case 'logo': {
      // Apart, so that a person who tries logos can still send the documents of the verification, and the reverse.
      const upload = listCounter(`${kind}:${session?.merchantId ?? ''}`, rules.upload);
      return [...upload, ...listSessionCounters(rules, session)];
    }
    case 'sandbox':
    case 'auth':
      return listClientCounters(kind, rules[kind], address());
    case 'open':
    case 'callback':
      return [];
  }
}

/** An administrator belongs to no merchant, and counts as one. Without a session there is nothing to count. */
function listSessionCounters(
  { session: rule, merchant: merchantRule }: Rules,
  session: Session | undefined,
): readonly BucketCounter[] {
  if (session === undefined) return [];
  return [
    ...listCounter(`session:${session.id}`, rule),
    ...listCounter(`sessions:${session.merchantId ?? session.userId}`, merchantRule),
  ];
}

const listCounter = (name: string, rule: BucketRule | undefined): readonly BucketCounter[] =>
  rule === undefined ? [] : [[name, rule]];

/** The limits of public pages: of a client at one page, at all pages, and at pages that do not exist. */
function createPageLimit(
  { page, pages, unknownPages }: Rules,
  buckets: Buckets,
  take: Take,
): (subject: LimitSubject) => WithinLimit | ApiError {
  const known = new LRUCache<string, true>({ max: MAX_KNOWN });
  const takeGuess = createGuessLimit('pages-unknown', unknownPages, buckets, known);
  return (subject) => {
    const client = subject.address();
    const name = subject.path.split('/', 3).slice(1).join(':').slice(0, MAX_PAGE_CHARACTERS);
    const guess = takeGuess(name, client);
    if (guess.code !== null) return guess;
    const counters = [
      ...listClientCounters(name, page, client),
      ...listClientCounters('pages', pages, client),
    ];
    const answer = take(counters, subject, known.has(name));
    return answer.code === null ? { ...answer, settle: guess.settle } : answer;
  };
}

/** The limit of a client that asks for names which do not exist. Known names pass while it is used up. */
function createGuessLimit(
  prefix: string,
  rule: BucketRule | undefined,
  buckets: Buckets,
  known = new LRUCache<string, true>({ max: MAX_KNOWN }),
): (name: string, client: string) => WithinLimit | ApiError {
  return (name, client) => {
    const counters = listClientCounters(prefix, rule, client);
    const full = known.has(name)
      ? undefined
      : counters.map(([bucket, each]) => buckets.findFull(bucket, each)).find(Boolean);
    if (full !== undefined) return answerLevel(full);
    const settle = (status: number): void => {
      if (status < 400) known.set(name, true);
      if (status !== UNKNOWN) return;
      known.delete(name);
      for (const [bucket, each] of counters) buckets.take(bucket, each);
    };
    return { ...UNLIMITED, settle };
  };
}

/**
 * The limit of a client that guesses sessions. Refused requests of a session that exists cost a query each, so they count as
 * guesses of nobody and use up a limit of that session: its role does not allow them, or it has ended.
 */
function createSessionGuessLimit(
  { session, unknownSessions }: Rules,
  buckets: Buckets,
): (subject: LimitSubject) => WithinLimit | ApiError {
  const takeGuess = createGuessLimit('sessions-unknown', unknownSessions, buckets);
  return ({ path, address }) => {
    if (session === undefined) return UNLIMITED;
    const name = hash('sha256', path, 'base64url');
    const refusals = `session-refused:${name}`;
    const full = buckets.findFull(refusals, session);
    if (full !== undefined) return answerLevel(full);
    const guess = takeGuess(name, address());
    if (guess.code !== null) return guess;
    const settle = (status: number): void => {
      guess.settle?.(status === REFUSED ? 200 : status);
      if (status === REFUSED) buckets.take(refusals, session);
    };
    return { ...guess, settle };
  };
}

const LIMIT = 'RateLimit-Limit';
const REMAINING = 'RateLimit-Remaining';
const RESET = 'RateLimit-Reset';
const roundUpToSeconds = (ms: number): number => Math.ceil(ms / SECOND_MS);

/** undefined: the limit is off. */
function answerLevel(level: BucketLevel | undefined): WithinLimit | ApiError {
  if (level === undefined) return UNLIMITED;
  if (level.isWithin) return { code: null, lines: writeLines(level) };
  return answerFull(level, `Too many requests: at most ${level.rule.burst} at once.`);
}

const COST_MESSAGE = 'Too many requests for what they cost.';

function answerFull(level: BucketLevel, message: string): ApiError {
  const retryAfterSeconds = roundUpToSeconds(level.waitMs);
  return buildApiError('rate_limited', {
    message: `${message} Wait ${retryAfterSeconds} s, then try again.`,
    retryAfterSeconds,
    headers: buildLimitHeaders(level),
  });
}

/** Limit: the requests that an empty bucket takes at once. Reset: the seconds until it is empty. */
function writeLines({ rule, remaining, resetMs }: BucketLevel): string {
  return `\r\n${LIMIT}: ${rule.burst}\r\n${REMAINING}: ${remaining}\r\n${RESET}: ${roundUpToSeconds(resetMs)}`;
}

/** The same headers as pairs, for answers with headers of their own. */
export function buildLimitHeaders({ rule, remaining, resetMs }: BucketLevel): HeaderPair[] {
  return [
    [LIMIT, String(rule.burst)],
    [REMAINING, String(remaining)],
    [RESET, String(roundUpToSeconds(resetMs))],
  ];
}
