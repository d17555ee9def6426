// The form of what follows from an event. Every list may be empty; an event without any effect has the one
// value NO_EFFECTS, so that a batch of creates is told from the rest by a comparison.
import type { Posting } from '#actors/core/ledger.js';
import type { RailName, Settlement } from '#actors/core/rails/answers.js';
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

/** Creating a TEST payment has these. */
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
