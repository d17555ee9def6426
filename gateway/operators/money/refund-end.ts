// Ends a refund, or proposes to when its amount is above the limit. Both only for an end that the payment allows now:
// conflicts are answered at once, so no decision is stored that was refused.
import type { RefundId } from '#actors/core/ids.js';
import type { AmountMinor } from '#actors/core/money.js';
import { decide } from '#actors/core/payment/state-machine.js';
import { findRefund, type PaymentState } from '#actors/core/payment/state.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { NO_SUBJECT } from '#store/postgres/approvals/approval-row.js';
import {
  findPaymentOfRefund,
  type PaymentOfRefund,
} from '#store/postgres/payments/list-refunds.js';
import { nameRefundEnd } from '#store/postgres/payments/refund-ends.js';
import type { Actor } from '#store/postgres/operations/audit.js';
import { findMovedByTask } from '#store/postgres/tasks/claim-contradiction.js';
import { type ApprovalDeps, isAboveLimit, propose } from '../approvals/propose.js';
import { buildActor } from '#gateway/auth/actor.js';
import type { EndByHandRequest } from '../approvals/end-by-hand.js';
import type { SessionRequest } from '#gateway/routing/request.js';
import { type Answer, buildApiError } from '#gateway/routing/response.js';
import {
  type AdminRefundDeps,
  buildMovedConflict,
  buildRefundConflict,
  endRefund,
  type RequestedRefundEnd,
} from './refund-handlers.js';

const KINDS = { complete_refund: 'refund_completion', fail_refund: 'refund_failure' } as const;

/** 200 with the refund; above the limit 202 with the approval. */
export async function endOrPropose(
  deps: AdminRefundDeps & ApprovalDeps,
  request: SessionRequest<{ readonly refund_id: RefundId }, EndByHandRequest>,
  type: RequestedRefundEnd['type'],
): Promise<Answer> {
  const actor = buildActor(request);
  const { external_reference: externalReference, reason = null } = request.body;
  const end = { type, refundId: request.params.refund_id, externalReference };
  const [found] = await findPaymentOfRefund(deps.accounts, end.refundId);
  if (found === undefined) return buildApiError('refund_not_found');
  const { state, amountMinor } = readRefund(found, end);
  const command = { ...end, paymentId: state.id };
  const isAbove = isAboveLimit(deps, state.environment, amountMinor);
  const { outcome } = decide(state, command, deps.nowMs());
  // A repeat moves no money again, and closes a task that an earlier request has left open.
  if (outcome === 'unchanged') return endRefund(deps, actor, end, 'one');
  // It claimed nothing, so it releases nothing: another end may be under way.
  if (outcome !== 'done') return buildRefundConflict(found);
  if (!isAbove) return endRefund(deps, actor, end, 'one');
  const moved = await findMovedByTask(deps.accounts, command);
  return moved === undefined
    ? proposeEnd(deps, actor, { state, amountMinor, end, reason })
    : buildMovedConflict(found, moved);
}

interface EndProposal {
  readonly state: PaymentState;
  readonly amountMinor: AmountMinor;
  readonly end: RequestedRefundEnd;
  readonly reason: string | null;
}

function proposeEnd(
  deps: AdminRefundDeps & ApprovalDeps,
  actor: Actor,
  { state, amountMinor, end, reason }: EndProposal,
): Promise<Answer> {
  const { refundId, externalReference } = end;
  const subject = { merchantId: state.merchantId, paymentId: state.id, refundId };
  return propose(deps, actor, {
    ...{ kind: KINDS[end.type], ...NO_SUBJECT, ...subject, amountMinor, reason },
    currency: state.request.currency,
    reference: nameRefundEnd(end),
    request: { external_reference: externalReference },
  });
}

function readRefund({ snapshot }: PaymentOfRefund, { refundId }: RequestedRefundEnd) {
  const state = decodeSnapshot(snapshot);
  const refund = findRefund(state, refundId);
  if (refund === undefined) throw new Error(`payment ${state.id} does not hold ${refundId}`);
  return { state, amountMinor: refund.amountMinor };
}
