// An approval as administrators see it.
import { formatAmount } from '#actors/core/money.js';
import type { Approval } from '#store/postgres/approvals/approval-row.js';
import type { ApprovalBody } from './schema.js';

export function viewApproval(approval: Approval): ApprovalBody {
  const { outcomeCode, outcomeMessage } = approval;
  return {
    id: approval.id,
    object: 'approval',
    kind: approval.kind,
    status: approval.status,
    environment: approval.environment,
    merchant_id: approval.merchantId,
    payment_id: approval.paymentId,
    refund_id: approval.refundId,
    payout_id: approval.payoutId,
    task_id: approval.taskId,
    amount: formatAmount(approval.amountMinor),
    currency: approval.currency as ApprovalBody['currency'],
    reference: approval.reference,
    request: approval.request,
    reason: approval.reason,
    proposed_by: approval.proposedBy,
    proposed_at: approval.proposedAt.toISOString(),
    decided_by: approval.decidedBy,
    decided_at: approval.decidedAt?.toISOString() ?? null,
    decision_reason: approval.decisionReason,
    ended_at: approval.endedAt?.toISOString() ?? null,
    outcome:
      outcomeCode === null ? null : { code: outcomeCode, message: outcomeMessage ?? outcomeCode },
  };
}

export const serializeApproval = (approval: Approval): string =>
  JSON.stringify(viewApproval(approval));
