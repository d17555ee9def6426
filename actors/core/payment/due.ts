// The due time of a payment, at most one, and the command that it sends. Both follow from the
// snapshot, so a lost schedule can be rebuilt.
import { type OrderId, deriveOrderId } from '../ids.js';
import {
  SANDBOX_STEP_MS,
  findSandboxBehaviour,
  type SandboxBehaviour,
  buildSandboxSettlement,
} from '../rails/sandbox.js';
import { unreachable } from '../unreachable.js';
import type { PaymentCommand } from './commands.js';
import { isOpen, type OpenPayment, type PaymentState } from './state.js';

/** An expired payment waits so long for the rail's answer, then fails without it. */
export const EXPIRY_GRACE_MS = 120_000;

interface Due {
  readonly atMs: number;
  readonly command: PaymentCommand;
}

/** null: the payment does not change by itself. */
export function findNextDueAtMs(state: PaymentState): number | null {
  return findDue(state)?.atMs ?? null;
}

/**
 * The command to send at the due time. A repeat has no effect. `expire` and `release_hold` have no
 * effect either when they are early by the time of their command; the payment stays due.
 */
export function buildDueCommand(state: PaymentState): PaymentCommand | null {
  return findDue(state)?.command ?? null;
}

/** Whether the payment is due to expire at `nowMs`. */
export function isExpiryDue(state: PaymentState, nowMs: number): boolean {
  const due = findDue(state);
  return due?.command.type === 'expire' && nowMs >= due.atMs;
}

function findDue(state: PaymentState): Due | null {
  if (state.environment === 'TEST') return findSandboxDue(state);
  if (isOpen(state)) return findExpiryDue(state);
  if (state.status !== 'paid' || state.capture.holdUntilMs === null) return null;
  const command = { type: 'release_hold', paymentId: state.id } as const;
  return { atMs: state.capture.holdUntilMs, command };
}

function findExpiryDue(state: OpenPayment): Due {
  const requestedAtMs = state.expiryRequestedAtMs;
  const atMs = requestedAtMs === null ? state.expiresAtMs : requestedAtMs + EXPIRY_GRACE_MS;
  return { atMs, command: expire(state) };
}

function findSandboxDue(state: PaymentState): Due | null {
  const behaviour = findSandboxBehaviour(state.request.amountMinor);
  if (isOpen(state)) {
    if (behaviour === 'waits') return findExpiryDue(state);
    return scheduleStep(state.createdAtMs, FIRST_STEPS[behaviour](state));
  }
  switch (state.status) {
    case 'failed':
      if (behaviour !== 'expires_then_pays' || state.failureCode !== 'expired') return null;
      return scheduleStep(state.failedAtMs, settle(state));
    case 'paid': {
      if (behaviour !== 'pays_then_reverses') return null;
      const { rail, railTransactionId } = state.capture;
      return scheduleStep(state.paidAtMs, {
        type: 'reverse',
        paymentId: state.id,
        rail,
        railTransactionId,
      });
    }
    case 'cancelled':
    case 'refunded':
      return null;
    default:
      return unreachable(state);
  }
}

const FIRST_STEPS = {
  fails: fail,
  pays: settle,
  pays_and_refunds_by_hand: settle,
  pays_then_reverses: settle,
  expires: expire,
  expires_then_pays: expire,
} as const satisfies Record<
  Exclude<SandboxBehaviour, 'waits'>,
  (state: PaymentState) => PaymentCommand
>;

function scheduleStep(sinceMs: number, command: PaymentCommand): Due {
  return { atMs: sinceMs + SANDBOX_STEP_MS, command };
}

function fail(state: PaymentState): PaymentCommand {
  const orderId = latestOrderId(state);
  return { type: 'fail', paymentId: state.id, orderId, failureCode: 'declined' };
}

function expire(state: PaymentState): PaymentCommand {
  return { type: 'expire', paymentId: state.id };
}

function settle(state: PaymentState): PaymentCommand {
  const settlement = buildSandboxSettlement(latestOrderId(state), state.request);
  return { type: 'settle', paymentId: state.id, settlement };
}

/** A TEST payment always has an attempt, and order ids follow from their numbers. */
function latestOrderId(state: PaymentState): OrderId {
  return deriveOrderId(state.id, state.attempts.length);
}
