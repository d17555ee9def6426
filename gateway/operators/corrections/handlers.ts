// Approvals: listed, shown, approved and rejected by administrators. The approver is never the proposer, which the
// database checks too.
import type { ApprovalId } from '#actors/core/ids.js';
import type { Approval } from '#store/postgres/approvals/approval-row.js';
import { approve, reject } from '#store/postgres/approvals/decide.js';
import { findApprovals, listApprovals } from '#store/postgres/approvals/list-approvals.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import type { ApprovalsQuery, RejectRequest } from '../approvals/schema.js';
import { serializeApproval } from '../approvals/view.js';
import { buildActor } from '#gateway/auth/actor.js';
import { readPage, writePage } from '#gateway/lists/page.js';
import type { NoParams, SessionRequest } from '#gateway/routing/request.js';
import { type Answer, buildApiError, reply } from '#gateway/routing/response.js';
import { applyApproval } from './apply.js';
import type { CorrectionDeps } from './propose-correction.js';

const SCOPE = { list: 'approvals', merchantId: 'all', environment: 'all' } as const;
const OWN = buildApiError('state_conflict', {
  message: 'You proposed this: another administrator must approve it. You may reject it.',
});

const OWN_APPROVED = buildApiError('state_conflict', {
  message: 'You proposed this, and it is approved: another administrator must repeat the approval.',
});

type OneApproval<Body = undefined> = SessionRequest<{ readonly approval_id: ApprovalId }, Body>;

/** 200 with a page, newest first. */
export async function showApprovals(
  deps: AccountDeps,
  { query }: SessionRequest<NoParams, undefined, ApprovalsQuery>,
): Promise<Answer> {
  const page = readPage(SCOPE, query);
  if ('code' in page) return page;
  const { status = null, kind = null } = query;
  const found = await deps.readList(SCOPE.merchantId, (sql) =>
    listApprovals(sql, { status, kind }, page),
  );
  return reply(200, writePage(SCOPE, page.limit, found, serializeApproval));
}

/** 200 with the approval. */
export async function showApproval(deps: AccountDeps, { params }: OneApproval): Promise<Answer> {
  const [approval] = await findApprovals(deps.accounts, [params.approval_id]);
  return approval === undefined ? buildApiError('approval_not_found') : answerEnded(approval);
}

/**
 * 200 with the approval, applied or refused; 409 for its proposer and when it was rejected. Repeats are idempotent, and go
 * on where an earlier request ended.
 */
export async function decideToApprove(deps: CorrectionDeps, request: OneApproval): Promise<Answer> {
  const actor = buildActor(request);
  const { approval_id: id } = request.params;
  await approve(deps.accounts, actor, id);
  const [approval] = await findApprovals(deps.accounts, [id]);
  if (approval === undefined) return buildApiError('approval_not_found');
  const { status } = approval;
  const isOwn = approval.proposedBy === actor.userId;
  if (isOwn && status === 'proposed') return OWN;
  if (isOwn && status === 'approved') return OWN_APPROVED;
  if (status === 'rejected') return buildConflict(approval);
  return status === 'approved' ? applyApproval(deps, actor, approval) : answerEnded(approval);
}

/** 200 with the approval; 409 when it was approved. Repeats are idempotent. */
export async function decideToReject(
  deps: AccountDeps,
  request: OneApproval<RejectRequest>,
): Promise<Answer> {
  const actor = buildActor(request);
  const { params, body } = request;
  await reject(deps.accounts, actor, params.approval_id, body.reason);
  const [approval] = await findApprovals(deps.accounts, [params.approval_id]);
  if (approval === undefined) return buildApiError('approval_not_found');
  return approval.status === 'rejected' ? answerEnded(approval) : buildConflict(approval);
}

const answerEnded = (approval: Approval): Answer => reply(200, serializeApproval(approval));

const buildConflict = ({ status }: Approval): Answer =>
  buildApiError('state_conflict', {
    message: `It is ${status}: only a proposed approval can be approved or rejected.`,
    currentStatus: status,
  });
