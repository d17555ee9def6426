// Proposes a change of money instead of making it: 202 with the approval. Repeats are idempotent.
import { needsTwoPersons } from '#actors/core/approvals/four-eyes.js';
import type { ApprovalStatus } from '#actors/core/approvals/kinds.js';
import { type Environment, makeId } from '#actors/core/ids.js';
import type { Approval, Proposal } from '#store/postgres/approvals/approval-row.js';
import { findByCause, isSame, proposeApproval } from '#store/postgres/approvals/propose.js';
import type { Actor } from '#store/postgres/operations/audit.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { generateIdBytes } from '#ops/runtime/random-id-bytes.js';
import { type Answer, buildApiError, reply } from '#gateway/routing/response.js';
import { serializeApproval } from './view.js';

export interface ApprovalDeps extends AccountDeps {
  /** Actions of administrators above this amount need a second person; corrections always do. */
  readonly approvalLimitMinor: bigint;
}

/** Whether an action needs an approval; the routes of actions then answer `propose` instead of acting. */
export function isAboveLimit(
  { approvalLimitMinor }: ApprovalDeps,
  environment: Environment,
  amountMinor: bigint,
): boolean {
  return needsTwoPersons(environment, amountMinor, approvalLimitMinor);
}

/** 202 with the approval, new or of an earlier request; 409 when its cause or its subject has another one. */
export async function propose(
  deps: AccountDeps,
  actor: Actor,
  proposal: Proposal,
): Promise<Answer> {
  const id = makeId('appr', generateIdBytes());
  const result = await proposeApproval(deps.accounts, actor, id, proposal);
  if (result === undefined) return buildApiError('overloaded');
  const { outcome, approval } = result;
  if (outcome === 'differs') return buildDiffers(approval);
  if (outcome !== 'open') return reply(202, serializeApproval(approval));
  const { kind, status } = approval;
  return buildApiError('state_conflict', {
    message: `The approval ${approval.id} (${kind}, ${status}) is about the same object and has not ended: approve or reject it first.`,
  });
}

/**
 * 202 with the approval of an earlier request, 409 when that had other fields; undefined: there is none. Checks of the
 * present state come after it, because an applied approval has changed the state.
 */
export async function findProposed(
  deps: AccountDeps,
  proposal: Proposal,
): Promise<Answer | undefined> {
  const [known] = await findByCause(deps.accounts, proposal);
  if (known === undefined) return undefined;
  return isSame(known, proposal) ? reply(202, serializeApproval(known)) : buildDiffers(known);
}

const buildDiffers = ({ id, kind, reference, status }: Approval): Answer =>
  buildApiError('state_conflict', {
    message: `${reference} was proposed with other fields as ${kind} ${id}, which is ${status}. ${ADVICE[status]}`,
  });

/** Never to use another reference: one movement of money would be booked twice. */
const ADVICE: Readonly<Record<ApprovalStatus, string>> = {
  proposed: 'Approve or reject that one first.',
  approved: 'Repeat its approval.',
  applied: 'The change is made: acknowledge the task about it, if there is one.',
  refused: 'It does not stand in the way any more: send the request again.',
  rejected: 'It does not stand in the way any more: send the request again.',
};
