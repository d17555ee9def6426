// Lists approvals, finds one by its id, and counts those that wait.
import type { ApprovalKind, ApprovalStatus } from '#actors/core/approvals/kinds.js';
import type { ApprovalId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import type { FoundRows, Page, PagePlace } from '../page.js';
import { type Approval, type ApprovalRow, buildApproval, selectColumns } from './approval-row.js';

export interface ApprovalFilter {
  readonly status: ApprovalStatus | null;
  readonly kind: ApprovalKind | null;
}

/** Newest first. One row more than the page holds: another page follows. */
export async function listApprovals(
  sql: Postgres,
  { status, kind }: ApprovalFilter,
  { limit, after }: Page,
): Promise<FoundRows<Approval & PagePlace>> {
  const nothing = sql``;
  const rows = await sql<ApprovalRow[]>`
    select ${selectColumns(sql)}
      from approvals
     where true
     ${status === null ? nothing : sql`and status = ${status}`}
     ${kind === null ? nothing : sql`and kind = ${kind}`}
     ${after === null ? nothing : sql`and (proposed_at, id) < (${new Date(after.atMs)}, ${after.id})`}
     order by proposed_at desc, id desc limit ${limit + 1}`;
  const listed = rows.map((row) => ({ ...buildApproval(row), atMs: row.proposedAt.getTime() }));
  return { rows: listed, stoppedAt: null };
}

/** Empty: the approval does not exist. */
export async function findApprovals(
  sql: Postgres,
  ids: readonly ApprovalId[],
): Promise<Approval[]> {
  const rows = await sql<ApprovalRow[]>`
    select ${selectColumns(sql)} from approvals where id = any(${[...ids]})`;
  return rows.map(buildApproval);
}

export interface WaitingApprovals {
  readonly status: 'proposed' | 'approved';
  readonly count: number;
  /** Since the oldest one was proposed, or approved. */
  readonly ageS: number;
}

/** Those that wait for a second person, and those whose change is not known to have been made. */
export async function countWaitingApprovals(sql: Postgres): Promise<WaitingApprovals[]> {
  return sql<WaitingApprovals[]>`
    select status, count(*)::integer as count,
           extract(epoch from now() - min(coalesce(decided_at, proposed_at)))::float8 as "ageS"
      from approvals
     where status in ('proposed', 'approved')
     group by status`;
}
