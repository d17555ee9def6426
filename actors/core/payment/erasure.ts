// Erasure of the texts of merchant and customer. Ids, amounts, times and the rail's answers stay,
// and a fingerprint of the create is left: a repeat still finds the payment instead of charging
// again. An open payment may still need the texts (a rail gets a name, a page shows it), and so may
// a refund that an administrator has to make by hand, so both must end first.
import type { ErasePayment } from './commands.js';
import { fingerprintRequest } from './create.js';
import type { ErasureEvents, EventOf } from './events.js';
import {
  type Decision,
  done,
  type EventHandlers,
  mark,
  NO_EFFECTS,
  reject,
  UNCHANGED,
} from './slice.js';
import { isOpen, isRefundOpen, type PaymentState } from './state.js';

export function decideErasure(state: PaymentState, command: ErasePayment, nowMs: number): Decision {
  if (isOpen(state) || state.refunds.some(isRefundOpen)) return reject('state_conflict');
  const { withReference } = command;
  if (isErased(state, withReference)) return UNCHANGED;
  return done({ type: 'payment_erased', ...mark(state, nowMs), withReference });
}

function isErased({ erasedAtMs, request, refunds }: PaymentState, withReference: boolean): boolean {
  if (erasedAtMs === null || !withReference) return erasedAtMs !== null;
  return request.referenceId === null && refunds.every((refund) => refund.referenceId === null);
}

export const erasureHandlers: EventHandlers<ErasureEvents> = {
  payment_erased: { evolve: erase, effects: () => NO_EFFECTS },
};

function erase(state: PaymentState, event: EventOf<'payment_erased'>): PaymentState {
  const erasedReference = event.withReference ? { referenceId: null } : {};
  return {
    ...state,
    version: event.version,
    erasedAtMs: state.erasedAtMs ?? event.atMs,
    fingerprint: state.fingerprint ?? fingerprintRequest(state.request),
    request: {
      ...state.request,
      ...erasedReference,
      description: null,
      customerName: null,
      customerEmail: null,
      customerPhone: null,
      successUrl: null,
      cancelUrl: null,
      metadata: {},
    },
    refunds: state.refunds.map((refund) => ({ ...refund, ...erasedReference, reason: null })),
  };
}
