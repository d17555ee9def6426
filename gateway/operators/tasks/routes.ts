// Paths of administrators: operator tasks.
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import { Approval } from '../approvals/schema.js';
import { buildQuerySpec, type Route } from '#gateway/routing/route.js';
import { buildTextBodySpec, defineSessionRoute } from '#gateway/routing/session-route.js';
import { resolveOrPropose, showTask, showTasks } from './handlers.js';
import type { TaskDeps } from './propose-resolution.js';
import * as wire from './schema.js';

const TASK_ID = /^task_[0-9a-z]{26,32}$/;
const params = {
  task_id: {
    parse: (text: string): string | undefined => (TASK_ID.test(text) ? text : undefined),
    code: 'task_not_found',
  },
} as const;
const READ = { permission: 'read_administration' } as const;
const DECIDE = { permission: 'decide_money' } as const;

export const buildTaskRoutes = (deps: TaskDeps): readonly Route[] => [
  defineSessionRoute({
    ...READ,
    method: 'GET',
    path: '/v1/admin/tasks',
    operationId: 'listTasks',
    summary: 'List the operator tasks',
    description: 'Newest first. They are cases that only an administrator can decide.',
    query: buildQuerySpec(wire.TasksQuery),
    answers: { 200: buildPageSchema(wire.Task) },
    handle: (request) => showTasks(deps, request),
  }),
  defineSessionRoute({
    ...READ,
    method: 'GET',
    path: '/v1/admin/tasks/{task_id}',
    operationId: 'getTask',
    summary: 'Show an operator task',
    description: 'With the `actions` that it allows now.',
    params,
    answers: { 200: wire.Task },
    handle: (request) => showTask(deps, request),
  }),
  defineSessionRoute({
    ...DECIDE,
    method: 'POST',
    path: '/v1/admin/tasks/{task_id}/resolve',
    operationId: 'resolveTask',
    summary: 'Resolve an operator task',
    description:
      'Takes one of its `actions`, once. Suspended money is credited to the merchant (`credit`), was returned to its ' +
      'payer (`return`, with the external reference), or goes to another merchant, named by its id or by a payment ' +
      '(`assign`); always the whole amount. Money that a rail took back is debited from the merchant that received it ' +
      '(`debit`), is our loss (`write_off`), or matches what we had returned (`match`). `book` books what a reconciliation ' +
      'found; it always needs a second administrator, as do the others for a LIVE amount above the limit: 202 with the ' +
      'approval, and the task is resolved with it.',
    params,
    body: buildTextBodySpec(wire.ResolveTaskRequest, ['note', 'external_reference']),
    answers: { 200: wire.Task, 202: Approval },
    errors: [
      'amount_invalid',
      'card_data_refused',
      'merchant_not_found',
      'payment_not_found',
      'refund_exceeds_payment',
      'state_conflict',
      'outcome_unknown',
    ],
    handle: (request) => resolveOrPropose(deps, request),
  }),
];
