// The script of a run of webhooks: what payments, merchants and operators do, and the faults. As in ../scenario.ts, all of
// it follows from the seed before the run begins.
import { type Chance, createChance } from '../world/chance.js';

export const PAYMENT_PARTITIONS = 4;
export const PROCESSES = 2;
/** The endpoints and their merchants: one merchant has two. */
export const ENDPOINTS = [
  { id: 'we_a', merchantId: 'mer_a' },
  { id: 'we_b', merchantId: 'mer_a' },
  { id: 'we_c', merchantId: 'mer_b' },
  { id: 'we_d', merchantId: 'mer_c' },
] as const;
const MERCHANTS = ['mer_a', 'mer_b', 'mer_c'] as const;
/** The merchant of floods has one endpoint. */
const FLOODED = { merchantId: 'mer_c', endpoint: 3 } as const;

export const RECEIVER_FAULTS = [
  'receiver_failing',
  'receiver_throttling',
  'receiver_gone',
  'receiver_hanging',
  'receiver_dropping',
  'receiver_flaky',
  'receiver_slow',
] as const;
export type ReceiverFault = (typeof RECEIVER_FAULTS)[number];

export const WEBHOOK_FAULTS = [
  ...RECEIVER_FAULTS,
  'process_killed',
  'process_stopped',
  'process_paused',
  'process_clock_wrong',
  'wakes_lost',
  'attempts_locked',
  'answers_lost',
  'statements_late',
  'statements_timed_out',
  'postgres_read_only',
  'postgres_swallowed',
  'postgres_crashed',
  'postgres_lost_tail',
  'postgres_clock_wrong',
  'redis_cut',
  'redis_swallowed',
  'redis_full',
  'redis_clock_wrong',
  'redis_lost_tail',
  'redis_flushed',
  'redis_failed_over',
] as const;
export type WebhookFaultKind = (typeof WEBHOOK_FAULTS)[number];

export interface WebhookFault {
  readonly kind: WebhookFaultKind;
  readonly atMs: number;
  readonly lastsMs: number;
  /** The number of the process, or of the endpoint, that it hits. */
  readonly target: number;
  /** From 0 to 1: how bad it is. */
  readonly force: number;
}

export type WebhookOperation =
  | {
      readonly kind: 'event';
      readonly name: string;
      readonly merchantId: string;
      readonly partition: number;
      /** Its envelope cannot be read until it is corrected. */
      readonly isBroken: boolean;
    }
  | { readonly kind: 'correct_envelopes' }
  | { readonly kind: 'test_event'; readonly name: string; readonly endpoint: number }
  | { readonly kind: 'rotate'; readonly endpoint: number; readonly overlapMs: number }
  | { readonly kind: 'switch'; readonly endpoint: number; readonly isActive: boolean }
  | { readonly kind: 'delete'; readonly endpoint: number };

export interface WebhookStep {
  readonly atMs: number;
  readonly operation: WebhookOperation;
}

export interface WebhookScenario {
  readonly seed: number;
  readonly faults: readonly WebhookFault[];
  readonly steps: readonly WebhookStep[];
  /** Of the attempts, without any fault. */
  readonly failingShare: number;
}

/** Later than the largest loss, so that the endpoints stay. */
const FAULTS_BEGIN_MS = 500;
const FAULTS_END_MS = 3_500;
const STEPS_END_MS = 6_000;
const LASTS_MS = [200, 5_000] as const;
/** Some pauses outlast a lease. */
const LONG_PAUSE_MS = [12_000, 20_000] as const;
const LONG_MOOD_MS = [5_000, 15_000] as const;
/** Shares of the attempts that fail at any receiver. With the last one some deliveries use up their attempts. */
const FAILING_SHARES = [0, 0.05, 0.3] as const;
const BURST = [1, 12] as const;
/** The events of a burst come at once or over a while. */
const SPREAD_MS = [20, 2_000] as const;
/** More than the list of a lane holds. */
const FLOOD = 700;
const FLOOD_SHARE = 0.04;

/** `only`: all faults are of this kind. */
export function buildWebhookScenario(seed: number, only?: WebhookFaultKind): WebhookScenario {
  const chance = createChance(seed);
  // Some seeds have no fault at all: nothing may be delivered twice in them.
  const faults = Array.from({ length: chance.below(only === undefined ? 5 : 4) }, () =>
    planFault(chance, only ?? chance.pick(WEBHOOK_FAULTS)),
  );
  if (only !== undefined && faults.length === 0) faults.push(planFault(chance, only));
  const steps: WebhookStep[] = [];
  const bursts = chance.between(3, 8);
  for (let burst = 0; burst < bursts; burst += 1) {
    const atMs = chance.between(100, STEPS_END_MS);
    const count = chance.between(...BURST);
    const spreadMs = chance.pick(SPREAD_MS);
    for (let index = 0; index < count; index += 1) {
      steps.push(planEvent(chance, atMs + chance.below(spreadMs), `${seed}x${burst}x${index}`));
    }
  }
  for (let count = chance.below(3); count > 0; count -= 1) steps.push(planChange(chance, count));
  const isFlood = chance.happens(FLOOD_SHARE);
  if (isFlood) planFlood(chance, seed, { faults, steps });
  const correctedMs = STEPS_END_MS + 2 * SPREAD_MS[1];
  steps.push({ atMs: correctedMs, operation: { kind: 'correct_envelopes' } });
  // A lane whose attempts fail often is slow on purpose: a flood would take minutes.
  const failingShare = isFlood ? 0 : chance.pick(FAILING_SHARES);
  return { seed, faults, failingShare, steps: steps.sort((a, b) => a.atMs - b.atMs) };
}

function planFault(chance: Chance, kind: WebhookFaultKind): WebhookFault {
  const isLong = chance.happens(0.4);
  const isMood = RECEIVER_FAULTS.some((mood) => mood === kind);
  const longMs = kind === 'process_paused' ? LONG_PAUSE_MS : isMood ? LONG_MOOD_MS : LASTS_MS;
  const [fromMs, toMs] = isLong ? longMs : LASTS_MS;
  return {
    kind,
    atMs: chance.between(FAULTS_BEGIN_MS, FAULTS_END_MS),
    lastsMs: chance.between(fromMs, toMs),
    target: chance.below(ENDPOINTS.length),
    force: chance.between(1, 10) / 10,
  };
}

function planEvent(chance: Chance, atMs: number, name: string): WebhookStep {
  return {
    atMs,
    operation: {
      ...{ kind: 'event', name, merchantId: chance.pick(MERCHANTS) },
      ...{ partition: chance.below(PAYMENT_PARTITIONS), isBroken: chance.happens(0.01) },
    },
  };
}

function planChange(chance: Chance, number: number): WebhookStep {
  const endpoint = chance.below(ENDPOINTS.length);
  const operations: (() => WebhookOperation)[] = [
    () => ({ kind: 'rotate', endpoint, overlapMs: chance.pick([0, 0, 2_000]) }),
    () => ({ kind: 'test_event', endpoint, name: `test${number}` }),
    () => ({ kind: 'switch', endpoint, isActive: chance.happens(0.3) }),
    () => ({ kind: 'delete', endpoint }),
  ];
  return { atMs: chance.between(500, STEPS_END_MS), operation: chance.pick(operations)() };
}

/** More events than the list of a lane holds, for a receiver that takes none of them for a while. */
function planFlood(
  chance: Chance,
  seed: number,
  { faults, steps }: { faults: WebhookFault[]; steps: WebhookStep[] },
): void {
  const kind = chance.pick(['receiver_hanging', 'receiver_failing', 'receiver_slow'] as const);
  faults.push({ kind, atMs: FAULTS_BEGIN_MS, lastsMs: 4_000, target: FLOODED.endpoint, force: 1 });
  for (let index = 0; index < FLOOD; index += 1) {
    const { atMs, operation } = planEvent(chance, 600, `${seed}xflood${index}`);
    if (operation.kind !== 'event') continue;
    const { merchantId } = FLOODED;
    steps.push({ atMs, operation: { ...operation, merchantId, isBroken: false } });
  }
}
