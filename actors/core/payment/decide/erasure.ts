// Erasing what people wrote. An open payment may still need it (a rail is told a name, a page shows it), and so
// may a refund that somebody has to make by hand: both are over first.
import type { ErasePayment } from '../commands.js';
import { isOpen, isRefundOpen, type PaymentState } from '../state.js';
import { type Decision, done, mark, reject, UNCHANGED } from './decision.js';

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
