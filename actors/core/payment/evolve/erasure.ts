// What is left of a payment that was erased: ids, amounts, times, what the rail said. The fingerprint of its create
// stays, so that a repeat still meets the payment instead of charging again.
import type { PaymentErased } from '../events.js';
import type { PaymentState } from '../state.js';

export function evolveErasure(state: PaymentState, event: PaymentErased): PaymentState {
  const gone = event.withReference ? { referenceId: null } : {};
  return {
    ...state,
    version: event.version,
    erasedAtMs: state.erasedAtMs ?? event.atMs,
    request: {
      ...state.request,
      ...gone,
      description: null,
      customerName: null,
      customerEmail: null,
      customerPhone: null,
      successUrl: null,
      cancelUrl: null,
      metadata: {},
    },
    refunds: state.refunds.map((refund) => ({ ...refund, ...gone, reason: null })),
  };
}
