// Operator tasks: listed, and resolved by what their matter allows (actors/core/tasks/allowed-actions.ts). The statement that
// resolves one checks again what was read here; when that has moved, it is read and decided anew.
import type { MerchantId } from '#actors/core/ids.js';
import { isTaskKind } from '#actors/core/tasks/kinds.js';
import { listAllowedActions } from '#actors/core/tasks/allowed-actions.js';
import { findTask, listTasks, type TaskRow } from '#store/postgres/tasks/list-tasks.js';
import { resolveTask, type ResolutionResult } from '#store/postgres/tasks/resolve-task.js';
import { readPage, writePage } from '../lists/page.js';
import { type Answer, buildApiError, reply } from '../routing/response.js';
import type { NoParams, SessionRequest } from '../routing/request.js';
import { buildActor } from '../auth/actor.js';
import { isStoreFailure } from '../routing/store-failures.js';
import { type AccountDeps, queryAccounts } from '../accounts/account-deps.js';
import { chooseAction } from './choose-action.js';
import type { ResolveTaskRequest, TaskBody, TasksQuery } from './schema.js';

const SCOPE = { list: 'tasks', merchantId: 'all', environment: 'all' } as const;
/** How often the matter of a task may move while it is being resolved. */
const MAX_READS = 3;
const UNKNOWN_OUTCOME = buildApiError('outcome_unknown', {
  message: 'It is not known whether the task was resolved. Send the same again.',
});

/** 200 with a page, newest first. */
export async function showTasks(
  parts: AccountDeps,
  { query }: SessionRequest<NoParams, undefined, TasksQuery>,
): Promise<Answer> {
  const page = readPage(SCOPE, query);
  if ('code' in page) return page;
  const { status = null, kind = null, merchant_id: merchant = null } = query;
  const filter = { status, kind, merchantId: merchant as MerchantId | null };
  const found = await queryAccounts(parts, (sql) => listTasks(sql, filter, page));
  return reply(
    200,
    writePage(SCOPE, page.limit, found, (row) => JSON.stringify(viewTask(row))),
  );
}

/** 200 with the task; the same again: 200, otherwise resolved: 409, as is what its matter does not allow. */
export async function resolve(
  parts: AccountDeps,
  request: SessionRequest<{ readonly task_id: string }, ResolveTaskRequest>,
): Promise<Answer> {
  const actor = buildActor(request);
  const { params, body } = request;
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const [task] = await queryAccounts(parts, (sql) => findTask(sql, params.task_id));
    if (task === undefined) return buildApiError('task_not_found');
    if (task.status === 'resolved') return answerResolved(task, body);
    const resolution = await chooseAction(parts, task, body);
    if ('code' in resolution) return resolution;
    const result = await queryAccounts(parts, (sql) => resolveTask(sql, actor, resolution)).catch(
      (error: unknown): ResolutionResult | 'unknown' => {
        if (!isStoreFailure(error)) throw error;
        parts.onError(error);
        return 'unknown';
      },
    );
    if (result === 'unknown') return UNKNOWN_OUTCOME;
  }
  const [task] = await queryAccounts(parts, (sql) => findTask(sql, params.task_id));
  return task?.status === 'resolved'
    ? answerResolved(task, body)
    : buildApiError('state_conflict', {
        message: 'The matter of this task is moving. Look again.',
      });
}

/** Whoever did not hear that it was done sends the same again. */
function answerResolved(task: TaskRow, body: ResolveTaskRequest): Answer {
  const { external_reference: reference = null, merchant_id: merchant, payment_id: payment } = body;
  const isSame =
    task.action === body.action &&
    task.note === body.note &&
    task.externalReference === reference &&
    (merchant === undefined || merchant === task.targetMerchant) &&
    (payment ?? null) === task.targetPayment;
  return isSame
    ? reply(200, JSON.stringify(viewTask(task)))
    : buildApiError('state_conflict', { currentStatus: 'resolved' });
}

export function viewTask(task: TaskRow): TaskBody {
  const { kind, standing, status } = task;
  const isWaiting = status === 'open' && isTaskKind(kind);
  return {
    id: task.id,
    object: 'task',
    kind,
    status,
    actions: isWaiting ? [...listAllowedActions(kind, standing)] : [],
    environment: task.environment,
    merchant_id: task.merchantId,
    payment_id: task.paymentId,
    details: JSON.parse(task.details) as TaskBody['details'],
    opened_at: task.openedAt.toISOString(),
    resolved_at: task.resolvedAt?.toISOString() ?? null,
    action: task.action,
    note: task.note,
    external_reference: task.externalReference,
    target_merchant_id: task.targetMerchant,
    target_payment_id: task.targetPayment,
    resolved_by: task.resolvedBy,
  };
}
