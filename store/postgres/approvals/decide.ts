// The transitions of an approval: each is one statement by compare-and-set on the status. An approved approval is applied
// under a claim, so that of two requests at the same time one acts; when the process dies, the claim ends and another
// request goes on.
import type { ApprovalPosting } from '#actors/core/approvals/posting.js';
import type { ApprovalId } from '#actors/core/ids.js';
import { type Actor, selectActor } from '../operations/audit.js';
import type { Postgres } from '../client.js';

/** Longer than a payment's actor and the statements of a refund, payout or task take. */
const CLAIM = '45 seconds';

/** Without effect unless it is proposed, and by another person. */
export async function approve(sql: Postgres, actor: Actor, id: ApprovalId): Promise<void> {
  await sql`
    with ${selectActor(sql, actor)}
    update approvals
       set status = 'approved', decided_by = ${actor.userId}, decided_at = date_trunc('milliseconds', now())
      from acting
     where is_set and id = ${id} and status = 'proposed' and proposed_by <> ${actor.userId}`;
}

/** Without effect unless it is proposed. The proposer may withdraw it. */
export async function reject(
  sql: Postgres,
  actor: Actor,
  id: ApprovalId,
  reason: string,
): Promise<void> {
  await sql`
    with ${selectActor(sql, actor)}
    update approvals
       set status = 'rejected', decided_by = ${actor.userId}, decision_reason = ${reason},
           decided_at = date_trunc('milliseconds', now()), ended_at = date_trunc('milliseconds', now())
      from acting
     where is_set and id = ${id} and status = 'proposed'`;
}

/** The number of the claim; undefined: another request applies it, or it is not approved. */
export async function claimApproval(sql: Postgres, id: ApprovalId): Promise<number | undefined> {
  const rows = await sql<{ claim: number }[]>`
    update approvals set claim = claim + 1, claimed_until = now() + ${CLAIM}::text::interval
     where id = ${id} and status = 'approved' and (claimed_until is null or claimed_until < now())
    returning claim`;
  return rows[0]?.claim;
}

export interface Claimed {
  readonly id: ApprovalId;
  readonly claim: number;
}

/** The outcome is not known: the next request goes on at once. */
export async function releaseApproval(sql: Postgres, { id, claim }: Claimed): Promise<void> {
  await sql`
    update approvals set claimed_until = null
     where id = ${id} and claim = ${claim} and status = 'approved'`;
}

/** null: the change was made. */
export type Refusal = { readonly code: string; readonly message: string } | null;

/** Without effect when a later claim has taken the work over. */
export async function endApproval(
  sql: Postgres,
  actor: Actor,
  { id, claim }: Claimed,
  refusal: Refusal,
): Promise<void> {
  await sql`
    with ${selectActor(sql, actor)}
    update approvals
       set status = ${refusal === null ? 'applied' : 'refused'}, ended_at = date_trunc('milliseconds', now()),
           outcome_code = ${refusal?.code ?? null}, outcome_message = ${refusal?.message ?? null}
      from acting
     where is_set and id = ${id} and status = 'approved' and claim = ${claim}`;
}

/** Posts the correction of a balance with the end of its approval, once (store/postgres/functions/approvals.sql). */
export async function applyBalanceCorrection(
  sql: Postgres,
  actor: Actor,
  id: ApprovalId,
  { debit, credit, reason, isLimited }: Omit<ApprovalPosting, 'amountMinor' | 'currency'>,
): Promise<void> {
  await sql`
    with ${selectActor(sql, actor)}
    select apply_balance_correction(${id}, ${debit}, ${credit}, ${reason}, ${isLimited})
      from acting where is_set`;
}
