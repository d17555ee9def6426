// The row of an approval.
import type { ApprovalKind, ApprovalStatus } from '#actors/core/approvals/kinds.js';
import type {
  ApprovalId,
  Environment,
  MerchantId,
  PaymentId,
  PayoutId,
  RefundId,
  UserId,
} from '#actors/core/ids.js';
import type { Postgres } from '../client.js';

/** The objects of an approval. Some kinds have several: the task that led to it and the payment. */
export interface ApprovalSubject {
  readonly merchantId: MerchantId | null;
  readonly paymentId: PaymentId | null;
  readonly refundId: RefundId | null;
  readonly payoutId: PayoutId | null;
  readonly taskId: string | null;
}

export const NO_SUBJECT: ApprovalSubject = {
  merchantId: null,
  paymentId: null,
  refundId: null,
  payoutId: null,
  taskId: null,
};

/** The change to be made, as texts by name. */
export type ApprovalRequest = Readonly<Record<string, string>>;

export interface Proposal extends ApprovalSubject {
  readonly kind: ApprovalKind;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** Names the cause: of approvals of one kind with the same reference one may act. */
  readonly reference: string;
  readonly request: ApprovalRequest;
  readonly reason: string | null;
}

export interface Approval extends Proposal {
  readonly id: ApprovalId;
  readonly environment: Environment;
  readonly status: ApprovalStatus;
  readonly proposedBy: UserId;
  readonly proposedAt: Date;
  readonly decidedBy: UserId | null;
  readonly decidedAt: Date | null;
  readonly decisionReason: string | null;
  readonly endedAt: Date | null;
  readonly outcomeCode: string | null;
  readonly outcomeMessage: string | null;
}

export interface ApprovalRow extends Omit<Approval, 'amountMinor' | 'request'> {
  readonly amount: string;
  /** JSON of texts. */
  readonly request: string;
}

export const selectColumns = (sql: Postgres) => sql`
  id, kind, environment, status, merchant_id as "merchantId", payment_id as "paymentId",
  refund_id as "refundId", payout_id as "payoutId", task_id as "taskId", amount::text as amount,
  currency, reference, request, reason, proposed_by as "proposedBy", proposed_at as "proposedAt",
  decided_by as "decidedBy", decided_at as "decidedAt", decision_reason as "decisionReason",
  ended_at as "endedAt", outcome_code as "outcomeCode", outcome_message as "outcomeMessage"`;

export function buildApproval({ amount, request, ...row }: ApprovalRow): Approval {
  return {
    ...row,
    amountMinor: BigInt(amount),
    request: JSON.parse(request) as ApprovalRequest,
  };
}
