// Applies an event to a payment. Pure, and total over events in their order: an event out of order,
// or of another payment, is a bug (or a damaged store) and throws.
import { unreachable } from '../unreachable.js';
import { attemptHandlers } from './attempts.js';
import { closingHandlers } from './closing.js';
import { createPayment } from './create.js';
import { erasureHandlers } from './erasure.js';
import type { EventOf, LaterEvents, PaymentEvent } from './events.js';
import { refundHandlers } from './refunds.js';
import { settlementHandlers } from './settlement.js';
import type { EventHandler, EventHandlers } from './slice.js';
import type { PaymentState } from './state.js';

export const EVENT_HANDLERS: EventHandlers<LaterEvents> = {
  ...attemptHandlers,
  ...closingHandlers,
  ...settlementHandlers,
  ...refundHandlers,
  ...erasureHandlers,
};

/** The handler of an event's type; a type that does not exist throws. */
export function findHandler<T extends keyof LaterEvents>({ type }: EventOf<T>): EventHandler<T> {
  return Object.hasOwn(EVENT_HANDLERS, type) ? EVENT_HANDLERS[type] : unreachable(type as never);
}

export function evolve(state: PaymentState | undefined, event: PaymentEvent): PaymentState {
  if (state === undefined) {
    if (event.type !== 'payment_created' || event.version !== 1) throw outOfOrder(0, event);
    return createPayment(event);
  }
  const isNext = event.paymentId === state.id && event.version === state.version + 1;
  if (!isNext || event.type === 'payment_created') throw outOfOrder(state.version, event);
  return findHandler(event).evolve(state, event);
}

function outOfOrder(version: number, event: PaymentEvent): Error {
  const { type, paymentId } = event;
  return new Error(`${type} ${event.version} of ${paymentId} does not follow version ${version}`);
}
