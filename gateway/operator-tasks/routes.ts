// The paths of administrators to payments, refunds and operator tasks.
import { parseRefundId } from '#actors/core/ids.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import { Refund } from '#actors/core/schemas/refund.js';
import { endRefund, type MoneyDeps, showRefunds } from '../refunds/admin-handlers.js';
import * as wire from './schema.js';
import { resolve, showTasks } from './handlers.js';
import { showTransactions } from '../payments/admin-handlers.js';
import { buildQuerySpec, type Route } from '../routing/route.js';
import { buildTextBodySpec, defineSessionRoute } from '../routing/session-route.js';

const TASK_ID = /^task_[0-9a-z]{26,32}$/;
const refundParams = {
  refund_id: { parse: parseRefundId, code: 'refund_not_found' },
} as const;
const taskParams = {
  task_id: {
    parse: (text: string): string | undefined => (TASK_ID.test(text) ? text : undefined),
    code: 'task_not_found',
  },
} as const;
const ADMIN = { permission: 'administrate' } as const;

export const buildMoneyRoutes = (parts: MoneyDeps): readonly Route[] => [
  defineSessionRoute({
    ...ADMIN,
    method: 'GET',
    path: '/v1/admin/transactions',
    summary: 'List the payments of all merchants',
    description:
      'With the rails that were asked, and what they settled. `rail` and `order_id` are looked for among the newest ' +
      'payments of each merchant, a part of them a page: only `next_cursor` null ends the search.',
    query: buildQuerySpec(wire.TransactionsQuery),
    answers: { 200: buildPageSchema(wire.Transaction) },
    errors: ['card_data_refused'],
    handle: (request) => showTransactions(parts, request),
  }),
  ...buildAdminRefundRoutes(parts),
  defineSessionRoute({
    ...ADMIN,
    method: 'GET',
    path: '/v1/admin/tasks',
    summary: 'List the operator tasks',
    query: buildQuerySpec(wire.TasksQuery),
    answers: { 200: buildPageSchema(wire.Task) },
    handle: (request) => showTasks(parts, request),
  }),
  defineSessionRoute({
    ...ADMIN,
    method: 'POST',
    path: '/v1/admin/tasks/{task_id}/resolve',
    summary: 'Resolve an operator task',
    description:
      'By one of its `actions`, once. Suspended money is credited to the merchant (`credit`), went back to its payer ' +
      '(`return`, with the external reference), or is given to another merchant, named by its id or by a payment ' +
      '(`assign`); always the whole of it. Money that a rail took is borne by the merchant who had it (`debit`), ' +
      'by us (`write_off`), or is what we had returned (`match`).',
    params: taskParams,
    body: buildTextBodySpec(wire.ResolveTaskRequest, ['note', 'external_reference']),
    answers: { 200: wire.Task },
    errors: [
      'amount_invalid',
      'card_data_refused',
      'merchant_not_found',
      'payment_not_found',
      'state_conflict',
      'outcome_unknown',
    ],
    handle: (request) => resolve(parts, request),
  }),
];

const buildAdminRefundRoutes = (parts: MoneyDeps): readonly Route[] => [
  defineSessionRoute({
    ...ADMIN,
    method: 'GET',
    path: '/v1/admin/refunds',
    summary: 'List the refunds of all merchants',
    description: '`status=MANUAL_REQUIRED` is the queue of those to be paid by hand.',
    query: buildQuerySpec(wire.AdminRefundsQuery),
    answers: { 200: buildPageSchema(wire.AdminRefund) },
    handle: (request) => showRefunds(parts, request),
  }),
  ...(['complete', 'fail'] as const).map((verb) =>
    defineSessionRoute({
      ...ADMIN,
      method: 'POST',
      path: `/v1/admin/refunds/{refund_id}/${verb}`,
      summary:
        verb === 'complete' ? 'Complete a refund by hand' : 'Fail a refund that was to be by hand',
      description:
        'Of one that is `MANUAL_REQUIRED`. The same again is answered alike; its operator task ends with it.',
      params: refundParams,
      body: buildTextBodySpec(wire.EndRefundRequest, ['external_reference', 'reason']),
      answers: { 200: Refund },
      errors: ['card_data_refused', 'state_conflict', 'outcome_unknown'],
      handle: (request) => endRefund(parts, request, `${verb}_refund`),
    }),
  ),
];
