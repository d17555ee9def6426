// What time does to a payment. Each payment has at most one due time, and both it and the command that it
// brings follow from the snapshot: whoever keeps due times can lose them all and make them again.
import { type OrderId, orderIdOf } from '../ids.js';
import {
  SANDBOX_STEP_MS,
  sandboxBehaviour,
  type SandboxBehaviour,
  sandboxSettlement,
} from '../rails/sandbox.js';
import { unreachable } from '../unreachable.js';
import type { PaymentCommand } from './commands.js';
import { isOpen, type OpenPayment, type PaymentState } from './state.js';

/** How long an expired payment waits for the rail's word before it fails without it. */
export const EXPIRY_GRACE_MS = 120_000;

interface Due {
  readonly atMs: number;
  readonly command: PaymentCommand;
}

/** null: nothing happens to it by itself. */
export function nextDueAtMs(state: PaymentState): number | null {
  return dueOf(state)?.atMs ?? null;
}

/**
 * The command to send when the due time has come. Sent twice it has no effect; `expire` and `release_hold`
 * have none either when they come early by the actor's clock: the payment stays due.
 */
export function commandWhenDue(state: PaymentState): PaymentCommand | null {
  return dueOf(state)?.command ?? null;
}

/** Whether an `expire` that comes at `nowMs` is one that the payment calls for, whatever its sender thought. */
export function isExpiryDue(state: PaymentState, nowMs: number): boolean {
  const due = dueOf(state);
  return due?.command.type === 'expire' && nowMs >= due.atMs;
}

function dueOf(state: PaymentState): Due | null {
  if (state.environment === 'TEST') return sandboxDue(state);
  if (isOpen(state)) return expiryDue(state);
  if (state.status !== 'paid' || state.capture.holdUntilMs === null) return null;
  const command = { type: 'release_hold', paymentId: state.id } as const;
  return { atMs: state.capture.holdUntilMs, command };
}

function expiryDue(state: OpenPayment): Due {
  const askedAtMs = state.expiryRequestedAtMs;
  const atMs = askedAtMs === null ? state.expiresAtMs : askedAtMs + EXPIRY_GRACE_MS;
  return { atMs, command: expire(state) };
}

function sandboxDue(state: PaymentState): Due | null {
  const behaviour = sandboxBehaviour(state.request.amountMinor);
  if (isOpen(state)) {
    if (behaviour === 'waits') return expiryDue(state);
    return step(state.createdAtMs, FIRST_STEPS[behaviour](state));
  }
  switch (state.status) {
    case 'failed':
      if (behaviour !== 'expires_then_pays' || state.failureCode !== 'expired') return null;
      return step(state.failedAtMs, settle(state));
    case 'paid': {
      if (behaviour !== 'pays_then_reverses') return null;
      const { rail, railTransactionId } = state.capture;
      return step(state.paidAtMs, {
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
  fails,
  pays: settle,
  pays_and_refunds_by_hand: settle,
  pays_then_reverses: settle,
  expires: expire,
  expires_then_pays: expire,
} as const satisfies Record<
  Exclude<SandboxBehaviour, 'waits'>,
  (state: PaymentState) => PaymentCommand
>;

function step(sinceMs: number, command: PaymentCommand): Due {
  return { atMs: sinceMs + SANDBOX_STEP_MS, command };
}

function fails(state: PaymentState): PaymentCommand {
  const orderId = latestOrderId(state);
  return { type: 'fail', paymentId: state.id, orderId, failureCode: 'declined' };
}

function expire(state: PaymentState): PaymentCommand {
  return { type: 'expire', paymentId: state.id };
}

function settle(state: PaymentState): PaymentCommand {
  const settlement = sandboxSettlement(latestOrderId(state), state.request);
  return { type: 'settle', paymentId: state.id, settlement };
}

/** A TEST payment always has an attempt, and orders are numbered. */
function latestOrderId(state: PaymentState): OrderId {
  return orderIdOf(state.id, state.attempts.length);
}
