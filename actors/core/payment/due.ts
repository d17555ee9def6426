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
import { EXPIRY_GRACE_MS } from './decide/closing.js';
import { isOpen, type OpenPayment, type PaymentState } from './state.js';

interface Due {
  readonly atMs: number;
  readonly command: PaymentCommand;
}

/** null: nothing happens to it by itself. */
export function nextDueAtMs(state: PaymentState): number | null {
  return dueOf(state)?.atMs ?? null;
}

/** The command to send when the due time has come; one that comes too early or twice has no effect. */
export function commandWhenDue(state: PaymentState): PaymentCommand | null {
  return dueOf(state)?.command ?? null;
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
  return { atMs, command: { type: 'expire', paymentId: state.id } };
}

function sandboxDue(state: PaymentState): Due | null {
  const behaviour = sandboxBehaviour(state.request.amountMinor);
  switch (state.status) {
    case 'creating':
    case 'pending':
      return behaviour === 'waits' ? expiryDue(state) : firstStep(state, behaviour);
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

function firstStep(state: OpenPayment, behaviour: Exclude<SandboxBehaviour, 'waits'>): Due {
  const paymentId = state.id;
  switch (behaviour) {
    case 'fails': {
      const orderId = latestOrderId(state);
      const failed = { type: 'fail', paymentId, orderId, failureCode: 'declined' } as const;
      return step(state.createdAtMs, failed);
    }
    case 'expires':
    case 'expires_then_pays':
      return step(state.createdAtMs, { type: 'expire', paymentId });
    case 'pays':
    case 'pays_and_refunds_by_hand':
    case 'pays_then_reverses':
      return step(state.createdAtMs, settle(state));
    default:
      return unreachable(behaviour);
  }
}

function step(sinceMs: number, command: PaymentCommand): Due {
  return { atMs: sinceMs + SANDBOX_STEP_MS, command };
}

function settle(state: PaymentState): PaymentCommand {
  const settlement = sandboxSettlement(latestOrderId(state), state.request);
  return { type: 'settle', paymentId: state.id, settlement };
}

/** A TEST payment always has an attempt, and orders are numbered. */
function latestOrderId(state: PaymentState): OrderId {
  return orderIdOf(state.id, state.attempts.length);
}
