// Stores a proposal, or finds the approval that stands in its way: one of the same cause, or one about the same refund,
// payout or task that may still act.
import type { ApprovalId } from '#actors/core/ids.js';
import { type Actor, selectActor } from '../operations/audit.js';
import type { Postgres } from '../client.js';
import {
  type Approval,
  type ApprovalRow,
  buildApproval,
  type Proposal,
  selectColumns,
} from './approval-row.js';

/** An approval that stands in the way can end between two reads. */
const MAX_TRIES = 3;

/** proposed: it is new. known: the same was proposed before. differs: with other fields. open: another one is open. */
export interface ProposalResult {
  readonly outcome: 'proposed' | 'known' | 'differs' | 'open';
  readonly approval: Approval;
}

/** undefined: approvals in its way began and ended all the time. */
export async function proposeApproval(
  sql: Postgres,
  actor: Actor,
  id: ApprovalId,
  proposal: Proposal,
): Promise<ProposalResult | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const [known] = await findByCause(sql, proposal);
    if (known !== undefined)
      return { outcome: isSame(known, proposal) ? 'known' : 'differs', approval: known };
    const [made] = await insertApproval(sql, actor, id, proposal);
    if (made !== undefined) return { outcome: 'proposed', approval: buildApproval(made) };
    const [open] = await findBySubject(sql, proposal);
    if (open !== undefined && open.kind !== proposal.kind)
      return { outcome: 'open', approval: open };
    if (open !== undefined && open.reference !== proposal.reference)
      return { outcome: 'open', approval: open };
  }
  return undefined;
}

/** Empty: no approval of this cause may act or has acted. */
export async function findByCause(
  sql: Postgres,
  { kind, reference }: Pick<Proposal, 'kind' | 'reference'>,
): Promise<Approval[]> {
  const rows = await sql<ApprovalRow[]>`
    select ${selectColumns(sql)} from approvals
     where kind = ${kind} and reference = ${reference} and status not in ('refused', 'rejected')`;
  return rows.map(buildApproval);
}

/** Whether the approval has the fields of the proposal. */
export function isSame(approval: Approval, proposal: Proposal): boolean {
  return describe(approval) === describe(proposal);
}

function describe(proposal: Proposal): string {
  const { kind, amountMinor, currency, reference, reason } = proposal;
  const { merchantId, paymentId, refundId, payoutId, taskId } = proposal;
  const request = Object.entries(proposal.request).sort(([a], [b]) => (a < b ? -1 : 1));
  const subjects = [merchantId, paymentId, refundId, payoutId, taskId];
  return JSON.stringify([
    kind,
    amountMinor.toString(),
    currency,
    reference,
    reason,
    subjects,
    request,
  ]);
}

async function findBySubject(sql: Postgres, proposal: Proposal): Promise<Approval[]> {
  const subject = proposal.refundId ?? proposal.payoutId ?? proposal.taskId;
  const rows = await sql<ApprovalRow[]>`
    select ${selectColumns(sql)} from approvals
     where coalesce(refund_id, payout_id, task_id) = ${subject} and status in ('proposed', 'approved')`;
  return rows.map(buildApproval);
}

async function insertApproval(
  sql: Postgres,
  actor: Actor,
  id: ApprovalId,
  { kind, amountMinor, currency, reference, request, reason, ...subject }: Proposal,
): Promise<ApprovalRow[]> {
  const { merchantId, paymentId, refundId, payoutId, taskId } = subject;
  return sql<ApprovalRow[]>`
    with ${selectActor(sql, actor)}
    insert into approvals (id, kind, environment, merchant_id, payment_id, refund_id, payout_id, task_id,
                           amount, currency, reference, request, reason, proposed_by)
    select ${id}, ${kind}, 'LIVE', ${merchantId}, ${paymentId}, ${refundId}, ${payoutId}, ${taskId},
           ${amountMinor.toString()}::text::bigint, ${currency}, ${reference},
           ${JSON.stringify(request)}::text, ${reason}, ${actor.userId}
      from acting where is_set
    on conflict do nothing
    returning ${selectColumns(sql)}`;
}
