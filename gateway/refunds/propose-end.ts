// Ends a refund, or proposes to when its amount is above the limit. A proposal is made only for an end that the payment
// allows now: conflicts and repeats are answered at once.
import type { RefundId } from '#actors/core/ids.js';
import { decide } from '#actors/core/payment/state-machine.js';
import { findRefund } from '#actors/core/payment/state.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { NO_SUBJECT } from '#store/postgres/approvals/approval-row.js';
import {
  findPaymentOfRefund,
  type PaymentOfRefund,
} from '#store/postgres/payments/list-refunds.js';
import type { Actor } from '#store/postgres/operations/audit.js';
import { type ApprovalDeps, isAboveLimit, propose } from '../approvals/propose.js';
import { buildActor } from '../auth/actor.js';
import type { EndByHandRequest } from '../operator-tasks/admin-fields.js';
import type { SessionRequest } from '../routing/request.js';
import { type Answer, buildApiError } from '../routing/response.js';
import {
  type AdminRefundDeps,
  buildRefundConflict,
  endRefund,
  type RefundEnd,
} from './admin-handlers.js';

const KINDS = { complete_refund: 'refund_completion', fail_refund: 'refund_failure' } as const;

/** 200 with the refund; above the limit 202 with the approval. */
export async function endOrPropose(
  deps: AdminRefundDeps & ApprovalDeps,
  request: SessionRequest<{ readonly refund_id: RefundId }, EndByHandRequest>,
  type: RefundEnd['type'],
): Promise<Answer> {
  const actor = buildActor(request);
  const { external_reference: externalReference, reason = null } = request.body;
  const end = { type, refundId: request.params.refund_id, externalReference };
  const [found] = await findPaymentOfRefund(deps.accounts, end.refundId);
  if (found === undefined) return buildApiError('refund_not_found');
  const { environment, amountMinor } = readRefund(found, end);
  if (!isAboveLimit(deps, environment, amountMinor)) return endRefund(deps, actor, end);
  return proposeEnd(deps, actor, { found, end, reason });
}

interface EndProposal {
  readonly found: PaymentOfRefund;
  readonly end: RefundEnd;
  readonly reason: string | null;
}

async function proposeEnd(
  deps: AdminRefundDeps & ApprovalDeps,
  actor: Actor,
  { found, end, reason }: EndProposal,
): Promise<Answer> {
  const { state, amountMinor } = readRefund(found, end);
  const { outcome } = decide(state, { ...end, paymentId: state.id }, deps.nowMs());
  // It moves no money again, and closes a task that an earlier request has left open.
  if (outcome === 'unchanged') return endRefund(deps, actor, end);
  if (outcome !== 'done') return buildRefundConflict(found);
  const { refundId, externalReference } = end;
  const subject = { merchantId: state.merchantId, paymentId: state.id, refundId };
  return propose(deps, actor, {
    ...{ kind: KINDS[end.type], ...NO_SUBJECT, ...subject, amountMinor, reason },
    currency: state.request.currency,
    reference: `${refundId}:${externalReference}`,
    request: { external_reference: externalReference },
  });
}

function readRefund({ snapshot }: PaymentOfRefund, { refundId }: RefundEnd) {
  const state = decodeSnapshot(snapshot);
  const refund = findRefund(state, refundId);
  if (refund === undefined) throw new Error(`payment ${state.id} does not hold ${refundId}`);
  return { state, environment: state.environment, amountMinor: refund.amountMinor };
}
