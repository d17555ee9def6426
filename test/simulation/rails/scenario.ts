// The script of a run with LIVE payments: what merchants, customers and banks do, and the faults. All of it follows from the
// seed before the run begins.
import type { PaymentId, RefundId } from '#actors/core/ids.js';
import { makeMinor, type AmountMinor } from '#actors/core/money.js';
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import { derivePaymentId, deriveRefundId, TENANT } from '../processes/gateway.js';
import { type Chance, createChance } from '../world/chance.js';

export const PARTITIONS = 4;
export const RAILS_PROCESSES = 2;
export const PAYMENTS_PROCESSES = 2;
export const LIVE_TENANT = { ...TENANT, environment: 'LIVE' } as const;

export const RAIL_FAULTS = [
  'rails_killed',
  'rails_stopped',
  'rails_paused',
  'rails_clock_wrong',
  'rails_cut_off',
  'payments_killed',
  'payments_paused',
  'gateway_killed',
  'replies_lost',
  'commit_answers_lost',
  'statements_late',
  'statements_timed_out',
  'postgres_read_only',
  'postgres_crashed',
  'postgres_lost_tail',
  'postgres_clock_wrong',
  'redis_lost_tail',
  'redis_flushed',
  'redis_full',
  'rail_down',
  'rail_late',
  'rail_answers_lost',
  'rail_throttles',
  'rail_refuses',
  'rail_lies',
  'callbacks_lost',
  'callbacks_doubled',
  'callbacks_late',
  'callbacks_lying',
] as const;
export type RailFaultKind = (typeof RAIL_FAULTS)[number];

export interface RailFault {
  readonly kind: RailFaultKind;
  readonly atMs: number;
  readonly lastsMs: number;
  /** The number of the process, or of the rail, that it hits. */
  readonly target: number;
  /** From 0 to 1: how bad it is. */
  readonly force: number;
}

export const RAILS = ['midtrans', 'xendit'] as const;
/** The rail that is tried first. */
export type RailChoice = (typeof RAILS)[number];

export type RailOperation =
  | {
      readonly kind: 'create';
      readonly key: string;
      readonly amount: string;
      /** VA: the customer chooses a bank on the page. */
      readonly method: 'QRIS' | 'VA';
      readonly firstRail: RailChoice;
      readonly expiresInS: number;
    }
  | {
      readonly kind: 'choose_method';
      readonly paymentId: PaymentId;
      readonly method: ChargeableMethod;
      readonly firstRail: RailChoice;
    }
  | { readonly kind: 'cancel' | 'get'; readonly paymentId: PaymentId }
  | {
      readonly kind: 'refund';
      readonly paymentId: PaymentId;
      readonly refundId: RefundId;
      /** Absent: all that is left. */
      readonly amountMinor?: AmountMinor;
    };

/** At a rail. `isOther`: another amount than was asked for. */
export type BankOperation =
  | { readonly kind: 'pay'; readonly paymentId: PaymentId; readonly isOther: boolean }
  | { readonly kind: 'reverse'; readonly paymentId: PaymentId };

export interface RailStep {
  readonly atMs: number;
  readonly operation: RailOperation | BankOperation;
  /** How often a client sends it again when it gets no certain answer. */
  readonly repeats: number;
}

export interface RailScenario {
  readonly seed: number;
  readonly faults: readonly RailFault[];
  readonly steps: readonly RailStep[];
}

const FAULTS_BEGIN_MS = 300;
const FAULTS_END_MS = 16_000;
/** Longer than the leases of calls and inquiries. */
const LASTS_MS = [300, 18_000] as const;
const CREATES_END_MS = 8_000;
const PAYMENTS = [3, 12] as const;
const EXPIRES_IN_S = [8, 30] as const;
/** Most customers pay soon, so that refunds come while faults last. */
const SOON_MS = 4_000;
const REFUNDED_MS = [1_000, 20_000] as const;
const BANKS = ['VA_BCA', 'VA_BNI', 'VA_MANDIRI'] as const;

/** `only`: all faults are of this kind. */
export function buildRailScenario(seed: number, only?: RailFaultKind): RailScenario {
  const chance = createChance(seed);
  const faults = Array.from({ length: chance.between(1, 4) }, () => ({
    kind: only ?? chance.pick(RAIL_FAULTS),
    atMs: chance.between(FAULTS_BEGIN_MS, FAULTS_END_MS),
    lastsMs: chance.between(...LASTS_MS),
    target: chance.below(RAILS_PROCESSES),
    force: chance.between(1, 10) / 10,
  }));
  const steps: RailStep[] = [];
  for (let count = chance.between(...PAYMENTS); count > 0; count -= 1) {
    const atMs = chance.between(500, CREATES_END_MS);
    const planned = planPayment(chance, `rails-${seed}-${count}`);
    steps.push(...planned.map((step) => ({ ...step, atMs: step.atMs + atMs })));
  }
  return { seed, faults, steps: steps.sort((one, other) => one.atMs - other.atMs) };
}

function planPayment(chance: Chance, key: string): RailStep[] {
  const paymentId = derivePaymentId(key, LIVE_TENANT);
  const method = chance.pick(['QRIS', 'VA'] as const);
  const expiresInS = chance.between(...EXPIRES_IN_S);
  const amount = String(chance.between(10_000, 20_000));
  const steps: RailStep[] = [];
  const add = (atMs: number, operation: RailStep['operation']): void => {
    steps.push({ atMs, operation, repeats: chance.below(4) });
  };
  const endMs = expiresInS * 1_000;
  const firstRail = chance.pick(RAILS);
  add(0, { kind: 'create', key, amount, method, firstRail, expiresInS });
  if (method === 'VA') {
    for (let count = chance.between(1, 3); count > 0; count -= 1) {
      const atMs = chance.between(200, endMs);
      const [bank, first] = [chance.pick(BANKS), chance.pick(RAILS)];
      add(atMs, { kind: 'choose_method', paymentId, method: bank, firstRail: first });
    }
  }
  for (let count = chance.below(4); count > 0; count -= 1) {
    const isOther = chance.happens(0.05);
    const latestMs = chance.happens(0.6) ? SOON_MS : endMs + 3_000;
    add(chance.between(300, latestMs), { kind: 'pay', paymentId, isOther });
  }
  if (chance.happens(0.25)) add(chance.between(0, endMs), { kind: 'cancel', paymentId });
  if (chance.happens(0.3)) add(chance.between(0, endMs), { kind: 'get', paymentId });
  if (chance.happens(0.15)) add(chance.between(500, endMs + 5_000), { kind: 'reverse', paymentId });
  else planRefunds(chance, { key, paymentId }, add);
  return steps;
}

function planRefunds(
  chance: Chance,
  { key, paymentId }: { key: string; paymentId: PaymentId },
  add: (atMs: number, operation: RailOperation) => void,
): void {
  for (let count = chance.below(3); count > 0; count -= 1) {
    const refundId = deriveRefundId(`${key}-${chance.below(2)}`, LIVE_TENANT);
    const part = chance.happens(0.5) ? {} : { amountMinor: makeMinor(4_000n) };
    add(chance.between(...REFUNDED_MS), { kind: 'refund', paymentId, refundId, ...part });
  }
}
