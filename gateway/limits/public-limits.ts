// Limits of public routes by their cost. Strangers may send these requests, and some cost a hundred times as much as others.
// So a request takes the CPU of its route (`cpuUs`) from buckets that hold CPU time:
//
//   client  one client, on all public routes: 100 ms at once, then 50 ms a second
//   route   all clients, on one route: 250 ms at once, then 250 ms a second
//   all     all clients, on all public routes: 500 ms at once, then 500 ms a second
//
// The figures are those of RATE_LIMIT_PUBLIC = 50. The buckets protect the event loop of this process, so each process has
// its own.
//
// Strangers who fill a route must not keep its customers out (docs/decisions/0062-public-routes-by-cost.md). So anybody may
// fill three fifths of the buckets of all clients. A request of a client that used little lately may fill a fifth more, and
// so may one for a page that was found lately. An address of TRUSTED_PROXIES passes them: it is a health check.
import type {
  BucketCounter,
  BucketLevel,
  BucketRule,
  Buckets,
} from '#store/redis/limits/buckets.js';
import { listClientCounters } from './client-counters.js';

/** A route without `cpuUs` is not public. */
export interface CostlyRoute {
  /** WebSockets have none. */
  readonly method?: string;
  readonly path: string;
  readonly cpuUs?: number;
}

/** CPU time that may be used at once, and then in a second. */
interface Budget {
  readonly atOnceMs: number;
  readonly perSecondMs: number;
}

export interface PublicRequest {
  readonly route: CostlyRoute | undefined;
  /** Costs a native call, and routes that are not public do without it. */
  readonly address: () => string;
  /** The request is for a page that was found lately. */
  readonly isKnown: boolean;
}

/** `full`: the level of the bucket that refuses the request. */
export interface TakenCost {
  readonly full: BucketLevel | undefined;
  /** Takes the request back, which must not count. */
  readonly refund: () => void;
}
export type TakeCost = (request: PublicRequest) => TakenCost;

/** The bucket that refused a request: that of its client, or one of all clients. */
export const REFUSING_BUCKETS = ['client', 'common'] as const;

export interface CostDeps {
  /** Of the addresses of proxies. */
  readonly isTrusted: (address: string) => boolean;
  readonly onRefused: (bucket: (typeof REFUSING_BUCKETS)[number]) => void;
}

const SECOND_MS = 1_000;
const US_PER_MS = 1_000;
const CLIENT_SECONDS = 2;
const ROUTE_FACTOR = 5;
const ALL_FACTOR = 10;
/** The fair part of a client: a page view every few seconds, or a visit with all its requests at once. */
const FAIR_DIVISOR = 50;
const FAIR_SECONDS = 10;
/** The part of the common buckets for anybody, for requests with one of the two privileges, and for those with both. */
const PARTS = [0.6, 0.8, 1] as const;
const NOT_COUNTED: TakenCost = { full: undefined, refund: () => undefined };

interface Rules {
  readonly client: BucketRule;
  readonly fair: BucketRule;
  /** By the number of privileges. */
  readonly common: readonly (readonly BucketCounter[])[];
}

/** `clientMsPerSecond` 0: no request is counted. */
export function createCostLimit(
  clientMsPerSecond: number,
  buckets: Buckets,
  { isTrusted, onRefused }: CostDeps,
): TakeCost {
  if (clientMsPerSecond === 0) return () => NOT_COUNTED;
  const known = new WeakMap<CostlyRoute, Rules>();
  const findRules = (route: CostlyRoute, cpuUs: number): Rules => {
    const rules = known.get(route) ?? buildRules(clientMsPerSecond, route, cpuUs);
    known.set(route, rules);
    return rules;
  };
  return ({ route, address, isKnown }) => {
    if (route?.cpuUs === undefined) return NOT_COUNTED;
    const rules = findRules(route, route.cpuUs);
    const client = address();
    const own = listClientCounters('public', rules.client, client);
    const full = findRefusal(buckets, own);
    if (full !== undefined) {
      onRefused('client');
      return { full, refund: NOT_COUNTED.refund };
    }
    const fair = listClientCounters('public-fair', rules.fair, client);
    const isLight = fair.length > 0 && findRefusal(buckets, fair) === undefined;
    const common = rules.common[Number(isLight) + Number(isKnown)] ?? [];
    const commonFull = findRefusal(buckets, common);
    const taken = [...own, ...(isLight ? fair : []), ...(commonFull === undefined ? common : [])];
    const refund = (): void => {
      for (const [name, rule] of taken.splice(0)) buckets.refund(name, rule);
    };
    if (commonFull === undefined || isTrusted(client)) return { full: undefined, refund };
    refund();
    onRefused('common');
    return { full: commonFull, refund };
  };
}

/** Takes the request from all buckets, or from none; undefined: it was taken. */
function findRefusal(
  buckets: Buckets,
  counters: readonly BucketCounter[],
): BucketLevel | undefined {
  const level = buckets.takeAll(counters);
  return level?.isWithin === false ? level : undefined;
}

function buildRules(clientMsPerSecond: number, route: CostlyRoute, cpuUs: number): Rules {
  const cpuMs = cpuUs / US_PER_MS;
  const name = `public-route:${route.method ?? ''} ${route.path}`;
  const build = (seconds: number, factor: number, part = 1): BucketRule => {
    const perSecondMs = clientMsPerSecond * factor;
    return buildCostRule(cpuMs, { atOnceMs: perSecondMs * seconds * part, perSecondMs });
  };
  return {
    client: build(CLIENT_SECONDS, 1),
    fair: build(FAIR_SECONDS, 1 / FAIR_DIVISOR),
    common: PARTS.map((part) => [
      [name, build(1, ROUTE_FACTOR, part)],
      ['public-all', build(1, ALL_FACTOR, part)],
    ]),
  };
}

/** A request that costs more than the budget at once passes when the bucket is empty. */
function buildCostRule(cpuMs: number, { atOnceMs, perSecondMs }: Budget): BucketRule {
  const burst = Math.max(1, Math.floor(atOnceMs / cpuMs));
  return { burst, costMs: (cpuMs * SECOND_MS) / perSecondMs, isLocal: true };
}
