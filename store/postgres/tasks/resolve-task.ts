// Resolves an operator task in one statement: its status by compare-and-set, the posting and the balances, or nothing
// (store/postgres/functions/tasks.sql).
import type { TaskResolution } from '#actors/core/tasks/allowed-actions.js';
import type { TaskAction } from '#actors/core/tasks/kinds.js';
import { selectActor, type Actor } from '../operations/audit.js';
import { hasCode } from '../classify-failure.js';
import type { Postgres } from '../client.js';

const MOVED = 'KS005';

export interface Resolution extends TaskResolution {
  readonly taskId: string;
  /** The subject's state when the action was chosen. If it has changed since, nothing is done. */
  readonly state: string;
  readonly action: TaskAction;
  readonly note: string;
  readonly externalReference: string | null;
  /** The payment by which `assign` names its merchant. */
  readonly targetPayment: string | null;
}

/** closed: the task is not open. moved: the state of its subject has changed. */
export type ResolutionResult = 'done' | 'closed' | 'moved';

export async function resolveTask(
  sql: Postgres,
  actor: Actor,
  { taskId, state, action, note, externalReference, ...rest }: Resolution,
): Promise<ResolutionResult> {
  const { posting, merchantId, targetPayment } = rest;
  try {
    const rows = await sql<{ isDone: boolean }[]>`
      with ${selectActor(sql, actor)}
      select resolve_task(
        ${taskId}, ${state}, ${action}, ${note}, ${externalReference}, ${merchantId},
        ${targetPayment}, ${actor.userId}, ${posting?.debit ?? null}, ${posting?.credit ?? null},
        ${posting?.amountMinor.toString() ?? null}, ${posting?.currency ?? null},
        ${posting?.reason ?? null}) as "isDone"
        from acting where is_set`;
    return rows[0]?.isDone === true ? 'done' : 'closed';
  } catch (error) {
    if (hasCode(error, MOVED)) return 'moved';
    throw error;
  }
}
