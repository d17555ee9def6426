// Applies an approved approval. Each kind is idempotent, so a repeat goes on where a process died:
//
//   balances                   posting and status are one statement
//   payments, refunds,         the object decides, as for a request of one person; then the approval ends. A claim keeps
//   payouts, tasks             two requests apart, so that the outcome that is stored is the one that took effect
//
// An outcome that is not known leaves the approval approved, and the administrator repeats the request.
import { isBalanceCorrection } from '#actors/core/approvals/kinds.js';
import { buildApprovalPosting } from '#actors/core/approvals/posting.js';
import type { ApprovalId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import type { Approval } from '#store/postgres/approvals/approval-row.js';
import {
  applyBalanceCorrection,
  type Claimed,
  claimApproval,
  endApproval,
  type Refusal,
  releaseApproval,
} from '#store/postgres/approvals/decide.js';
import { findApprovals } from '#store/postgres/approvals/list-approvals.js';
import type { Actor } from '#store/postgres/operations/audit.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { serializeApproval } from '../approvals/view.js';
import { ERRORS } from '#gateway/routing/errors.js';
import { type Answer, type ApiError, buildApiError, reply } from '#gateway/routing/response.js';
import { execute } from './execute.js';
import type { CorrectionDeps } from './propose-correction.js';

const UNDER_WAY = buildApiError('outcome_unknown', {
  message: 'Another request is applying this approval. Send the same request again.',
});
/** From this status on the outcome of the change is not known, or nothing was done yet. */
const NOT_DECIDED = 500;

/** 200 with the approval, applied or refused; 503 or 504 while the outcome is not known. */
export async function applyApproval(
  deps: CorrectionDeps,
  actor: Actor,
  approval: Approval,
): Promise<Answer> {
  const { id, kind, merchantId, currency } = approval;
  if (isBalanceCorrection(kind)) {
    if (merchantId === null) throw new Error(`the approval ${id} names no merchant`);
    const amountMinor = makeMinor(approval.amountMinor);
    const posting = buildApprovalPosting({ kind, merchantId, amountMinor, currency });
    await applyBalanceCorrection(deps.accounts, actor, id, posting);
    return answerNow(deps, id);
  }
  const claim = await claimApproval(deps.accounts, id);
  if (claim === undefined) return answerNow(deps, id);
  const claimed = { id, claim };
  const answer = await executeClaimed(deps, actor, approval, claimed);
  if (answer.code !== null && ERRORS[answer.code].status >= NOT_DECIDED) return answer;
  const refusal = answer.code === null ? null : describeRefusal(answer);
  await endApproval(deps.accounts, actor, claimed, refusal);
  return answerNow(deps, id);
}

/** An unknown outcome ends the claim, so that the next request need not wait for it. */
async function executeClaimed(
  deps: CorrectionDeps,
  actor: Actor,
  approval: Approval,
  claimed: Claimed,
): Promise<Answer> {
  let isKnown = false;
  try {
    const answer = await execute(deps, actor, approval);
    isKnown = answer.code === null || ERRORS[answer.code].status < NOT_DECIDED;
    return answer;
  } finally {
    if (!isKnown) await releaseApproval(deps.accounts, claimed).catch(deps.onError);
  }
}

function describeRefusal({ code, details }: ApiError): Refusal {
  const { message, currentStatus } = details;
  const status = currentStatus === undefined ? '' : ` The status is ${currentStatus}.`;
  return { code, message: (message ?? ERRORS[code].message) + status };
}

async function answerNow(deps: AccountDeps, id: ApprovalId): Promise<Answer> {
  const [approval] = await findApprovals(deps.accounts, [id]);
  if (approval === undefined) return buildApiError('approval_not_found');
  return approval.status === 'approved' ? UNDER_WAY : reply(200, serializeApproval(approval));
}
