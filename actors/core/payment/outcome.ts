// The answer to a command. Rejections are values; the gateway's error table maps each to its HTTP answer.

export type Rejection =
  | 'payment_not_found'
  | 'refund_not_found'
  | 'idempotency_conflict'
  | 'state_conflict'
  | 'refund_exceeds_payment'
  | 'payment_method_unavailable'
  | 'attempt_limit_reached'
  | 'refund_limit_reached'
  | 'payment_processing_failed'
  | 'outcome_unknown';

/**
 * created: the object is new (201). replayed: the same create came before (200). done: a transition took
 * place. unchanged: it had taken place already, or the command has no effect here.
 */
export type FinalOutcome = 'created' | 'replayed' | 'done' | 'unchanged' | Rejection;

/** waiting: the answer comes with a later event, to everybody who waits on the same key. */
export type Outcome = FinalOutcome | 'waiting';

const REJECTIONS = {
  payment_not_found: true,
  refund_not_found: true,
  idempotency_conflict: true,
  state_conflict: true,
  refund_exceeds_payment: true,
  payment_method_unavailable: true,
  attempt_limit_reached: true,
  refund_limit_reached: true,
  payment_processing_failed: true,
  outcome_unknown: true,
} as const satisfies Record<Rejection, true>;

export function isRejection(outcome: string): outcome is Rejection {
  return Object.hasOwn(REJECTIONS, outcome);
}
