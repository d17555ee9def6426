// Who waits for what. A command whose outcome is "waiting" is answered by a later event of its payment:
// its sender waits under waiterOf(command), and the event's effects name the waiters they answer.
import type { RefundId } from '../ids.js';
import type { PaymentCommand } from './commands.js';
import type { FinalOutcome } from './outcome.js';

export type Waiter = 'create' | 'cancel' | 'choose_method' | `refund:${RefundId}`;

/** The first who came gets `first`, those who repeated the command get `others`. */
export interface WaiterAnswer {
  readonly waiter: Waiter;
  readonly first: FinalOutcome;
  readonly others: FinalOutcome;
}

/** null: a command that is always answered at once. */
export function waiterOf(command: PaymentCommand): Waiter | null {
  switch (command.type) {
    case 'create':
    case 'cancel':
    case 'choose_method':
      return command.type;
    case 'refund':
      return refundWaiter(command.refundId);
    default:
      return null;
  }
}

export function refundWaiter(refundId: RefundId): Waiter {
  return `refund:${refundId}`;
}
