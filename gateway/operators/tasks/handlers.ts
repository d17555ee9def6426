// Operator tasks: listed, and resolved by one of the actions that their state allows (actors/core/tasks). The statement
// that resolves a task checks its state again; when the state has changed since it was read, the task is read again.
import type { MerchantId } from '#actors/core/ids.js';
import { isTaskKind } from '#actors/core/tasks/kinds.js';
import { listAllowedActions } from '#actors/core/tasks/allowed-actions.js';
import type { Actor } from '#store/postgres/operations/audit.js';
import { findTask, listTasks, type TaskRow } from '#store/postgres/tasks/list-tasks.js';
import {
  type Resolution,
  type ResolutionResult,
  resolveTask,
} from '#store/postgres/tasks/resolve-task.js';
import { readPage, writePage } from '#gateway/lists/page.js';
import { type Answer, buildApiError, reply } from '#gateway/routing/response.js';
import type { NoParams, SessionRequest } from '#gateway/routing/request.js';
import { buildActor } from '#gateway/auth/actor.js';
import { isStoreFailure } from '#gateway/routing/store-failures.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { chooseAction } from './choose-action.js';
import { proposeResolution, type TaskDeps } from './propose-resolution.js';
import type { ResolveTaskRequest, TaskBody, TasksQuery } from './schema.js';

const SCOPE = { list: 'tasks', merchantId: 'all', environment: 'all' } as const;
/** Each change of the task's state during the request costs one more read. */
const MAX_READS = 3;
const UNKNOWN_OUTCOME = buildApiError('outcome_unknown', {
  message: 'It is unknown whether the task was resolved. Send the same request again.',
});

/** 200 with a page, newest first. Tasks of TEST are the merchants' own business: they are listed on request only. */
export async function showTasks(
  deps: AccountDeps,
  { query }: SessionRequest<NoParams, undefined, TasksQuery>,
): Promise<Answer> {
  const { environment = 'LIVE', status = null, kind = null, merchant_id: merchant = null } = query;
  const page = readPage(SCOPE, query);
  if ('code' in page) return page;
  const filter = { environment, status, kind, merchantId: merchant as MerchantId | null };
  const found = await deps.readList(SCOPE.merchantId, (sql) => listTasks(sql, filter, page));
  return reply(
    200,
    writePage(SCOPE, page.limit, found, (row) => JSON.stringify(viewTask(row))),
  );
}

/** 200 with the task. */
export async function showTask(
  deps: AccountDeps,
  { params }: Pick<SessionRequest<{ readonly task_id: string }>, 'params'>,
): Promise<Answer> {
  const [task] = await findTask(deps.accounts, params.task_id);
  return task === undefined
    ? buildApiError('task_not_found')
    : reply(200, JSON.stringify(viewTask(task)));
}

/**
 * 200; repeats are idempotent. 409 when the task was resolved otherwise, or its state does not allow the action. An action
 * that moves LIVE money above the limit is proposed: 202 with the approval.
 */
export function resolveOrPropose(
  deps: TaskDeps,
  request: SessionRequest<{ readonly task_id: string }, ResolveTaskRequest>,
): Promise<Answer> {
  const actor = buildActor(request);
  const { params, body } = request;
  return resolveById(deps, actor, { taskId: params.task_id, body }, (task, resolution) =>
    proposeResolution(deps, actor, { task, body, resolution }),
  );
}

/** The action of an approval: it needs no other one. */
export function resolveApproved(
  deps: AccountDeps,
  actor: Actor,
  taskId: string,
  body: ResolveTaskRequest,
): Promise<Answer> {
  return resolveById(deps, actor, { taskId, body }, () => Promise.resolve(undefined));
}

interface TaskAction {
  readonly taskId: string;
  readonly body: ResolveTaskRequest;
}

/** `proposeInstead` answers for an action that is not taken now; undefined: it is taken. */
async function resolveById(
  deps: AccountDeps,
  actor: Actor,
  { taskId, body }: TaskAction,
  proposeInstead: (task: TaskRow, resolution: Resolution) => Promise<Answer | undefined>,
): Promise<Answer> {
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const [task] = await findTask(deps.accounts, taskId);
    if (task === undefined) return buildApiError('task_not_found');
    if (task.status === 'resolved') return answerResolved(task, body);
    const resolution = await chooseAction(deps, task, body);
    if ('code' in resolution) return resolution;
    const proposed = await proposeInstead(task, resolution);
    if (proposed !== undefined) return proposed;
    if ((await tryResolve(deps, actor, resolution)) === 'unknown') return UNKNOWN_OUTCOME;
  }
  const [task] = await findTask(deps.accounts, taskId);
  return task?.status === 'resolved'
    ? answerResolved(task, body)
    : buildApiError('state_conflict', {
        message: 'The state of this task keeps changing. Read it and try again.',
      });
}

async function tryResolve(
  deps: AccountDeps,
  actor: Actor,
  resolution: Resolution,
): Promise<ResolutionResult | 'unknown'> {
  return resolveTask(deps.accounts, actor, resolution).catch((error: unknown) => {
    if (!isStoreFailure(error)) throw error;
    deps.onError(error);
    return 'unknown';
  });
}

/** Repeats are idempotent: an administrator whose answer was lost sends the same request again. */
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
