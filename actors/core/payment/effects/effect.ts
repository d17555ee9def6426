import type { Posting } from '../../ledger.js';
import type { RailName, Settlement } from '../../rails/answers.js';
import type { WaiterAnswer } from '../waiters.js';
import type { RailCall } from './rail-calls.js';
import type { OperatorTask } from './tasks.js';
import type { Webhook } from './webhooks.js';

export interface Effects {
  readonly webhook: Webhook | null;
  readonly postings: readonly Posting[];
  /** Unique in all payments of its rail: a second booking must be refused. */
  readonly railTransaction: { readonly rail: RailName; readonly transactionId: string } | null;
  readonly railCalls: readonly RailCall[];
  readonly tasks: readonly OperatorTask[];
  readonly answers: readonly WaiterAnswer[];
}

/** One value, so that the hot path knows it by identity: creating a TEST payment has no effects. */
export const NO_EFFECTS: Effects = {
  webhook: null,
  postings: [],
  railTransaction: null,
  railCalls: [],
  tasks: [],
  answers: [],
};

export function transactionOf(settlement: Settlement): Effects['railTransaction'] {
  return { rail: settlement.rail, transactionId: settlement.railTransactionId };
}
