// The end of a LIVE refund by hand, as administrators have stored it in Postgres: one of them, or two by an approval. The
// payments process takes a gateway's command to end a refund only with such a row, so that the signature of a gateway
// moves no money. TEST moves none.
import type { Environment } from '../ids.js';
import type { CompleteRefund, FailRefund } from '../payment/commands.js';
import { findRefund, type PaymentState } from '../payment/state.js';
import { needsTwoPersons } from './four-eyes.js';

export type RefundEnd = CompleteRefund | FailRefund;

export interface StoredRefundEnd extends RefundEndFields {
  readonly environment: Environment;
  readonly amountMinor: bigint;
  /** Two: one administrator has proposed it and another one approved. */
  readonly persons: 1 | 2;
  /** The task of the refund that has moved its money: no end may move it again. null: none has. */
  readonly movedBy: string | null;
}

type RefundEndFields = Pick<RefundEnd, 'paymentId' | 'refundId' | 'externalReference'> & {
  readonly type: RefundEnd['type'];
};

/**
 * Returns why no stored row allows the command; undefined: one does, or it is of TEST. The environment and the amount that
 * count are those of the committed payment. The reason repeats no text of the command, which anybody may have written.
 */
export function explainUnstoredEnd(
  { type, paymentId, refundId, externalReference }: RefundEnd,
  state: PaymentState | undefined,
  stored: readonly StoredRefundEnd[],
  limitMinor: bigint,
): string | undefined {
  const refund = state && findRefund(state, refundId);
  if (state === undefined || refund === undefined) {
    return `the payment ${paymentId} has no refund ${refundId}`;
  }
  const { environment } = state;
  if (environment === 'TEST') return undefined;
  const matching = stored.filter(
    (row) =>
      row.type === type &&
      row.paymentId === paymentId &&
      row.refundId === refundId &&
      row.environment === environment &&
      row.externalReference === externalReference &&
      row.amountMinor === refund.amountMinor,
  );
  if (matching.length === 0) {
    return `no administrator has stored "${type}" of ${refundId} with this reference and amount`;
  }
  const moved = matching.find(({ movedBy }) => movedBy !== null);
  if (moved !== undefined) return `the task ${moved.movedBy} has moved the money of ${refundId}`;
  if (matching.some(({ persons }) => persons === 2)) return undefined;
  return needsTwoPersons(environment, refund.amountMinor, limitMinor)
    ? `"${type}" of ${refundId} is above the APPROVAL_LIMIT of this process and has no approval`
    : undefined;
}
