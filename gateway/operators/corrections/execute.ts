// Makes the change of an approved approval, as the request of one administrator below the limit does. Each is idempotent.
import { unreachable } from '#actors/core/unreachable.js';
import type { Approval } from '#store/postgres/approvals/approval-row.js';
import type { Actor } from '#store/postgres/operations/audit.js';
import { resolveApproved } from '../tasks/handlers.js';
import type { ResolveTaskRequest } from '../tasks/schema.js';
import { endPayout, type PayoutEnd } from '../money/payout-handlers.js';
import { endRefund, type RequestedRefundEnd } from '../money/refund-handlers.js';
import { type Answer, reply } from '#gateway/routing/response.js';
import { bookOnPayment } from './book-on-payment.js';
import type { CorrectionDeps } from './propose-correction.js';
import { isPayoutEnded, isRefundEnded } from './recorded-effects.js';

const DONE = reply(200, '{}');

/** The answer of the object: 200 when the change is made. */
export function execute(deps: CorrectionDeps, actor: Actor, approval: Approval): Promise<Answer> {
  const { id, kind } = approval;
  switch (kind) {
    case 'settlement':
    case 'reversal':
    case 'refund':
    case 'chargeback':
      return book(deps, actor, approval);
    case 'refund_completion':
      return finishRefund(deps, actor, readRefundEnd(approval, 'complete_refund'));
    case 'refund_failure':
      return finishRefund(deps, actor, readRefundEnd(approval, 'fail_refund'));
    case 'payout_completion':
      return finishPayout(deps, actor, readPayoutEnd(approval, 'complete'));
    case 'payout_failure':
      return finishPayout(deps, actor, readPayoutEnd(approval, 'fail'));
    case 'payout_reversal':
      return finishPayout(deps, actor, readPayoutEnd(approval, 'reverse'));
    case 'task_resolution':
      return resolveApproved(deps, actor, readTask(approval), readResolution(approval));
    case 'adjustment_credit':
    case 'adjustment_debit':
    case 'reserve_hold':
    case 'reserve_release':
      throw new Error(`the approval ${id} of a balance is applied by one statement`);
    default:
      return unreachable(kind);
  }
}

/** Books on the payment, then resolves the task that reported it; a task that is resolved already stays so. */
async function book(deps: CorrectionDeps, actor: Actor, approval: Approval): Promise<Answer> {
  const answer = await bookOnPayment(deps, approval);
  const { taskId, reason } = approval;
  if (answer.code !== null || taskId === null) return answer;
  const note = reason ?? approval.kind;
  const resolved = await resolveApproved(deps, actor, taskId, { action: 'book', note });
  return resolved.code === 'state_conflict' ? answer : resolved;
}

async function finishRefund(
  deps: CorrectionDeps,
  actor: Actor,
  end: RequestedRefundEnd,
): Promise<Answer> {
  const answer = await endRefund(deps, actor, end, 'approval');
  if (answer.code !== 'state_conflict') return answer;
  return (await isRefundEnded(deps, end)) ? DONE : answer;
}

async function finishPayout(deps: CorrectionDeps, actor: Actor, end: PayoutEnd): Promise<Answer> {
  const answer = await endPayout(deps, actor, end);
  if (answer.code !== 'state_conflict') return answer;
  return (await isPayoutEnded(deps, end)) ? DONE : answer;
}

function readRefundEnd(
  { id, refundId, request }: Approval,
  type: RequestedRefundEnd['type'],
): RequestedRefundEnd {
  const externalReference = request['external_reference'];
  if (refundId === null || externalReference === undefined) throw buildIncomplete(id);
  return { type, refundId, externalReference };
}

function readPayoutEnd({ id, payoutId, request }: Approval, type: PayoutEnd['type']): PayoutEnd {
  const externalReference = request['external_reference'];
  if (payoutId === null || externalReference === undefined) throw buildIncomplete(id);
  return { type, payoutId, externalReference };
}

function readTask({ id, taskId }: Approval): string {
  if (taskId === null) throw buildIncomplete(id);
  return taskId;
}

/** The request was checked when it was proposed, and is stored as it was. */
function readResolution({ request }: Approval): ResolveTaskRequest {
  return request as unknown as ResolveTaskRequest;
}

/** The proposal was checked, so that a missing field is a bug. */
const buildIncomplete = (id: string): Error => new Error(`the approval ${id} is not complete`);
