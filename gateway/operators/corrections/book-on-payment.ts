// Books an approved correction on its payment. Only the id of the approval is sent: the payments process reads the approval
// from Postgres. The payment's actor decides, as for a report of a rail, and its repeats are idempotent: a rail
// transaction counts once.
import { readTransaction } from '#actors/core/approvals/approved-command.js';
import { findRefund, findTransaction, type PaymentState } from '#actors/core/payment/state.js';
import type { Approval } from '#store/postgres/approvals/approval-row.js';
import { sendCommand } from '#gateway/money/payments/handlers.js';
import { readState } from '#gateway/commands/read-state.js';
import { type Answer, buildApiError } from '#gateway/routing/response.js';
import type { CorrectionDeps } from './propose-correction.js';

const ELSEWHERE = buildApiError('state_conflict', {
  message:
    'The rail transaction is booked on another payment. A task settlement_unapplied is open.',
});

const REFUNDED = buildApiError('state_conflict', {
  message:
    'The payment is refunded in full, so the rail had nothing left to take back. A task reversal_unapplied is open.',
});

/** 200 when the payment has booked it. */
export async function bookOnPayment(deps: CorrectionDeps, approval: Approval): Promise<Answer> {
  const { id: approvalId, paymentId } = approval;
  if (paymentId === null) throw new Error(`the approval ${approvalId} names no payment`);
  const command = { type: 'book_approval', paymentId, approvalId } as const;
  const answer = await sendCommand(deps, command, (state) =>
    isBooked(state, approval) ? '{}' : undefined,
  );
  if (answer.code !== null) return answer;
  const state = await readState(deps, paymentId);
  const transaction = state && findTransaction(state, readTransaction(approval));
  if (transaction?.state === 'elsewhere') return ELSEWHERE;
  const isUnapplied = approval.kind === 'reversal' && state?.status === 'refunded';
  return isUnapplied && isCapture(state, approval) ? REFUNDED : answer;
}

/** Whether the stored payment shows the effect of the command. */
function isBooked(state: PaymentState, approval: Approval): boolean {
  if (approval.refundId !== null) return findRefund(state, approval.refundId) !== undefined;
  const transaction = findTransaction(state, readTransaction(approval));
  if (transaction === undefined) return false;
  return approval.kind === 'settlement' || transaction.state === 'reversed';
}

function isCapture({ capture }: PaymentState, approval: Approval): boolean {
  const { rail, railTransactionId } = readTransaction(approval);
  return capture?.rail === rail && capture.railTransactionId === railTransactionId;
}
