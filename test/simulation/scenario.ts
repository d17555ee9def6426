// The script of a run, apart from the service: the requests of clients and rails, and the faults. All of it follows from
// the seed before the run begins, so that a failing run can be repeated with parts left out.
import type { PaymentId } from '#actors/core/ids.js';
import type { Operation } from '#test/support/load/history.js';
import { derivePaymentId, deriveRefundId, type RichOperation } from './processes/gateway.js';
import { type Chance, createChance } from './world/chance.js';

export const PARTITIONS = 4;
export const PAYMENTS_PROCESSES = 3;
export const GATEWAYS = 2;

export const FAULTS = [
  'payments_killed',
  'payments_stopped',
  'payments_paused',
  'payments_clock_wrong',
  'gateway_killed',
  'gateway_paused',
  'replies_lost',
  'replies_late',
  'replies_doubled',
  'commit_answers_lost',
  'statements_late',
  'statements_timed_out',
  'postgres_slow',
  'postgres_row_locked',
  'postgres_read_only',
  'postgres_swallowed',
  'postgres_crashed',
  'postgres_lost_tail',
  'postgres_clock_wrong',
  'lease_stolen',
  'redis_lost_tail',
  'redis_flushed',
  'redis_failed_over',
  'redis_swallowed',
  'redis_full',
  'redis_clock_wrong',
  'newer_frame',
] as const;
/** Of the protocol of splits, apart from the others, whose scenarios follow from the list above. */
export const SPLIT = 'partitions_split';
/** Further work of operators, of the same protocol. */
export const MOVES = ['process_drained', 'partition_moved'] as const;
export type FaultKind = (typeof FAULTS)[number] | typeof SPLIT | (typeof MOVES)[number];

export interface Fault {
  readonly kind: FaultKind;
  readonly atMs: number;
  readonly lastsMs: number;
  /** The number of the process that it hits. */
  readonly target: number;
  /** From 0 to 1: how bad it is. */
  readonly force: number;
}

export type RailFact = {
  readonly kind: 'settle';
  readonly paymentId: PaymentId;
  readonly railTransactionId: string;
};
/** Entries that somebody else wrote to Redis: no command, or a settlement that no process of the service signed. */
export type Poison =
  | { readonly kind: 'unreadable'; readonly partition: number }
  | { readonly kind: 'forged'; readonly paymentId: PaymentId };
/** A client sends it to a gateway. */
export type Request = Operation | RichOperation;
export type SimOperation = Request | RailFact | Poison;

export interface Step {
  readonly atMs: number;
  readonly gateway: number;
  readonly operation: SimOperation;
  /** How often a client sends it again when it gets no certain answer. */
  readonly repeats: number;
}

export interface Scenario {
  readonly seed: number;
  readonly faults: readonly Fault[];
  readonly steps: readonly Step[];
}

/** Poison and its traces are recognized by this word. */
export const POISON = 'poison';

const FAULTS_BEGIN_MS = 300;
const FAULTS_END_MS = 3_500;
const STEPS_END_MS = 6_000;
const LASTS_MS = [200, 5_000] as const;
const BURST = [2, 14] as const;

/** `only`: all faults are of this kind. */
export function buildScenario(seed: number, only?: FaultKind): Scenario {
  const chance = createChance(seed);
  const faults = Array.from({ length: chance.between(1, 4) }, () => ({
    kind: only ?? chance.pick(FAULTS),
    atMs: chance.between(FAULTS_BEGIN_MS, FAULTS_END_MS),
    lastsMs: chance.between(...LASTS_MS),
    target: chance.below(PAYMENTS_PROCESSES),
    force: chance.between(1, 10) / 10,
  }));
  const steps: Step[] = [];
  const bursts = chance.between(4, 9);
  for (let burst = 0; burst < bursts; burst += 1) {
    const atMs = chance.between(100, STEPS_END_MS);
    const count = chance.between(...BURST);
    for (let index = 0; index < count; index += 1) {
      const key = `${seed}-${burst}-${index}`;
      steps.push(
        ...(chance.happens(0.6) ? planSimple(chance, key) : planRich(chance, key)).map((step) => ({
          ...step,
          atMs: step.atMs + atMs,
        })),
      );
    }
  }
  return { seed, faults, steps: steps.sort((a, b) => a.atMs - b.atMs) };
}

/** A split in the middle of other faults and of moves. `only`: the others are of this kind. */
export function buildSplitScenario(seed: number, only?: FaultKind): Scenario {
  const scenario = buildScenario(seed, only === SPLIT ? undefined : only);
  const chance = createChance(seed);
  const split: Fault = {
    kind: SPLIT,
    atMs: chance.between(500, 3_500),
    lastsMs: chance.between(100, 2_500),
    target: 0,
    force: chance.between(0, 10) / 10,
  };
  const others = only === SPLIT ? [] : scenario.faults.slice(0, chance.between(0, 3));
  const moves = Array.from({ length: only === undefined ? chance.below(3) : 0 }, () => ({
    kind: chance.pick(MOVES),
    atMs: chance.between(FAULTS_BEGIN_MS, FAULTS_END_MS),
    lastsMs: chance.between(...LASTS_MS),
    target: chance.below(PAYMENTS_PROCESSES),
    force: chance.between(1, 10) / 10,
  }));
  return { ...scenario, faults: [split, ...others, ...moves] };
}

function planStep(chance: Chance, atMs: number, operation: SimOperation): Step {
  return { atMs, gateway: chance.below(GATEWAYS), operation, repeats: chance.below(3) };
}

/** A payment as the invariants of histories know it: created, simulated, cancelled, read. */
function planSimple(chance: Chance, key: string): Step[] {
  const paymentId = derivePaymentId(key);
  const amount = String(chance.between(10_000, 20_000));
  const create = { kind: 'create', key, reference: `simple-${key}`, amount } as const;
  const steps = [planStep(chance, 0, create)];
  const add = (operation: Operation): void => {
    steps.push(planStep(chance, chance.between(0, 2_500), operation));
  };
  if (chance.happens(0.4)) add(create);
  if (chance.happens(0.1)) add({ ...create, amount: '20001' });
  for (let count = chance.below(3); count > 0; count -= 1) {
    const outcome = chance.happens(0.6) ? 'paid' : 'failed';
    add(
      chance.happens(0.7)
        ? { kind: 'simulate', paymentId, outcome }
        : { kind: 'cancel', paymentId },
    );
  }
  for (let count = chance.below(3); count > 0; count -= 1) add({ kind: 'get', paymentId });
  return steps;
}

/** A payment on which everything happens at once. */
function planRich(chance: Chance, key: string): Step[] {
  if (chance.happens(0.1)) return [planPoison(chance, key)];
  const paymentId = derivePaymentId(key);
  const create = { kind: 'create', key, reference: `rich-${key}`, amount: '15000' } as const;
  const steps = [planStep(chance, 0, create)];
  const shared = `shared-${key.split('-', 1).join('')}`;
  const operations: (() => SimOperation)[] = [
    () => ({ kind: 'settle', paymentId, railTransactionId: chance.happens(0.2) ? shared : key }),
    () => ({ kind: 'refund', paymentId, refundId: deriveRefundId(`${key}-${chance.below(2)}`) }),
    () => ({ kind: 'choose_method', paymentId }),
    () => ({ kind: 'simulate', paymentId, outcome: chance.happens(0.5) ? 'paid' : 'failed' }),
    () => ({ kind: 'cancel', paymentId }),
    () => create,
    () => ({ kind: 'forged', paymentId }),
  ];
  for (let count = chance.between(1, 6); count > 0; count -= 1) {
    steps.push(planStep(chance, chance.between(0, 1_500), chance.pick(operations)()));
  }
  return steps;
}

function planPoison(chance: Chance, key: string): Step {
  const nul = { kind: 'create', key, reference: `${POISON}\u0000`, amount: '15000' } as const;
  const unreadable = { kind: 'unreadable', partition: chance.below(PARTITIONS) } as const;
  return planStep(chance, 0, chance.happens(0.5) ? nul : unreadable);
}

/** Its payment is judged by the invariants of histories. */
export const isSimple = (operation: SimOperation): boolean =>
  operation.kind === 'create' ? operation.reference.startsWith('simple-') : false;
