// Paths of administrators: corrections, and approvals of them and of actions above the limit.
import { parseApprovalId } from '#actors/core/ids.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import { Approval, ApprovalsQuery, RejectRequest } from '../approvals/schema.js';
import { buildQuerySpec, type Route } from '#gateway/routing/route.js';
import { buildTextBodySpec, defineSessionRoute } from '#gateway/routing/session-route.js';
import { decideToApprove, decideToReject, showApproval, showApprovals } from './handlers.js';
import { type CorrectionDeps, proposeCorrection } from './propose-correction.js';
import { CorrectionRequest } from './schema.js';

const params = { approval_id: { parse: parseApprovalId, code: 'approval_not_found' } } as const;
const READ = { permission: 'read_administration' } as const;
const DECIDE = { permission: 'decide_money' } as const;
const LIST = '/v1/admin/approvals';

export const buildCorrectionRoutes = (deps: CorrectionDeps): readonly Route[] => [
  defineSessionRoute({
    ...DECIDE,
    method: 'POST',
    path: '/v1/admin/corrections',
    operationId: 'proposeCorrection',
    summary: 'Propose a correction',
    description:
      'Books on a LIVE payment what its rail did (`settlement`, `reversal`, `refund`, `chargeback`), or corrects the LIVE balance of a merchant: ' +
      '`adjustment_credit` and `adjustment_debit` (which may take it below zero), `reserve_hold` and `reserve_release`. ' +
      'No money moves until another administrator approves it. Repeats are idempotent: one reference of a kind is ' +
      'proposed once, until it is rejected or refused.',
    body: buildTextBodySpec(CorrectionRequest, ['reason', 'reference', 'rail_transaction_id']),
    answers: { 202: Approval },
    errors: [
      'amount_invalid',
      'amount_out_of_range',
      'card_data_refused',
      'merchant_not_found',
      'payment_not_found',
      'refund_exceeds_payment',
      'state_conflict',
    ],
    handle: (request) => proposeCorrection(deps, request),
  }),
  defineSessionRoute({
    ...READ,
    method: 'GET',
    path: LIST,
    operationId: 'listApprovals',
    summary: 'List approvals',
    description: '`status=proposed` lists those that wait for a second administrator.',
    query: buildQuerySpec(ApprovalsQuery),
    answers: { 200: buildPageSchema(Approval) },
    handle: (request) => showApprovals(deps, request),
  }),
  defineSessionRoute({
    ...READ,
    method: 'GET',
    path: `${LIST}/{approval_id}`,
    operationId: 'getApproval',
    summary: 'Show an approval',
    description: 'With its outcome, once it has one.',
    params,
    answers: { 200: Approval },
    handle: (request) => showApproval(deps, request),
  }),
  ...buildDecisionRoutes(deps),
];

const buildDecisionRoutes = (deps: CorrectionDeps): readonly Route[] => [
  defineSessionRoute({
    ...DECIDE,
    method: 'POST',
    path: `${LIST}/{approval_id}/approve`,
    operationId: 'approveProposal',
    summary: 'Approve, as another administrator than its proposer',
    description:
      'The change is made at once: the approval is then `applied`, or `refused` with its `outcome` when the state of its ' +
      'object does not allow the change any more. Repeats are idempotent; after 503 or 504 send the same request again.',
    params,
    answers: { 200: Approval },
    errors: ['state_conflict', 'outcome_unknown'],
    handle: (request) => decideToApprove(deps, request),
  }),
  defineSessionRoute({
    ...DECIDE,
    method: 'POST',
    path: `${LIST}/{approval_id}/reject`,
    operationId: 'rejectProposal',
    summary: 'Reject a proposal',
    description: 'The proposer may reject it too. Nothing is done. Repeats are idempotent.',
    params,
    body: buildTextBodySpec(RejectRequest, ['reason']),
    answers: { 200: Approval },
    errors: ['card_data_refused', 'state_conflict'],
    handle: (request) => decideToReject(deps, request),
  }),
];
