// Create. The payment id is derived from the idempotency key, so a repeated create meets the payment itself.
import { orderIdOf } from '#actors/core/ids.js';
import { chargeableMethod, defaultExpiresInS } from '#actors/core/payment-methods.js';
import type { RailName } from '#actors/core/rails/answers.js';
import type { CreatePayment } from '../commands.js';
import type { AttemptPlan } from '../events.js';
import { isSameRequest } from '../fingerprint.js';
import type { PaymentState } from '../state.js';
import { type Decision, reject, REPLAYED, WAITING } from './decision.js';

export function decideCreate(
  state: PaymentState | undefined,
  command: CreatePayment,
  nowMs: number,
): Decision {
  if (state === undefined) return createNew(command, nowMs);
  const isSameOwner =
    state.merchantId === command.merchantId && state.environment === command.environment;
  if (!isSameOwner || !isSameRequest(state.fingerprint, command)) {
    return reject('idempotency_conflict');
  }
  return state.status === 'creating' ? WAITING : REPLAYED;
}

function createNew(command: CreatePayment, nowMs: number): Decision {
  const { request, paymentId, environment } = command;
  const attempt = planFirstAttempt(command);
  if (attempt === undefined) return reject('payment_method_unavailable');
  const expiresInS = request.expiresInS ?? defaultExpiresInS(request.paymentMethod);
  return {
    events: [
      {
        type: 'payment_created',
        paymentId,
        version: 1,
        atMs: nowMs,
        merchantId: command.merchantId,
        environment,
        request,
        fingerprint: command.fingerprint,
        expiresAtMs: nowMs + expiresInS * 1000,
        attempt,
      },
    ],
    outcome: environment === 'LIVE' && attempt !== null ? 'waiting' : 'created',
  };
}

/**
 * Whether a create is refused where it is the first of its payment. The same create, sent again, is not: whoever wants to
 * refuse one has to know that its payment does not exist.
 */
export function isRefusedAsFirst(command: CreatePayment): boolean {
  return command.environment === 'LIVE' && decideCreate(undefined, command, 0).events.length === 0;
}

/** null: LIVE, where the customer chooses later. undefined: there is no rail for the method. */
function planFirstAttempt(command: CreatePayment): AttemptPlan | null | undefined {
  const method = chargeableMethod(command.request.paymentMethod);
  const orderId = orderIdOf(command.paymentId, 1);
  if (command.environment === 'TEST') return { orderId, rail: 'sandbox', method, nextRails: [] };
  if (method === null) return null;
  const rail = firstLiveRail(command.rails);
  if (rail === undefined) return undefined;
  return { orderId, rail, method, nextRails: command.rails.slice(1) };
}

/** The sandbox rail moves no money: a LIVE payment never goes there. */
export function firstLiveRail(rails: readonly RailName[]): RailName | undefined {
  return rails.includes('sandbox') ? undefined : rails[0];
}
