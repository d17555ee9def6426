// What was asked of a rail about the end of a payment, until the answer is booked. The status does not
// change here: it follows the answer.
import { unreachable } from '#actors/core/unreachable.js';
import type { CloseEvent, CloseUnconfirmed } from '../events.js';
import type { PaymentState } from '../state.js';

/** Nothing is asked of a rail any more for a payment that has ended. */
export const NOTHING_ASKED = {
  nextRails: [],
  cancelRequest: null,
  expiryRequestedAtMs: null,
  methodChange: null,
} as const;

export function evolveClosing(state: PaymentState, event: CloseEvent): PaymentState {
  const { version, atMs } = event;
  const asked = { requestedAtMs: atMs, isUnconfirmed: false };
  switch (event.type) {
    case 'cancel_requested':
      return { ...state, version, cancelRequest: asked };
    case 'cancel_refused':
      return { ...state, version, cancelRequest: null };
    case 'expiry_requested':
      return { ...state, version, expiryRequestedAtMs: atMs };
    case 'method_change_requested': {
      const { method, rail, nextRails } = event;
      return { ...state, version, methodChange: { ...asked, method, rail, nextRails } };
    }
    case 'method_change_refused':
      return { ...state, version, methodChange: null };
    case 'close_unconfirmed':
      return unconfirmed(state, event);
    default:
      return unreachable(event);
  }
}

function unconfirmed(state: PaymentState, event: CloseUnconfirmed): PaymentState {
  const { version } = event;
  const { cancelRequest, methodChange } = state;
  if (event.purpose === 'cancel') {
    return {
      ...state,
      version,
      cancelRequest: cancelRequest && { ...cancelRequest, isUnconfirmed: true },
    };
  }
  return {
    ...state,
    version,
    methodChange: methodChange && { ...methodChange, isUnconfirmed: true },
  };
}
