// Refunds, with a secret key (specification, section 4).
import { parseRefundId } from '#actors/core/ids.js';
import {
  parseRefundRequest,
  type RefundFault,
  type RefundRequest,
} from '#actors/core/requests/create-refund.js';
import { listOf } from '#actors/core/schemas/fields.js';
import { CreateRefundRequest, Refund } from '#actors/core/schemas/refund.js';
import { getRefund, listRefunds, RefundsQuery } from '../api/lists/refunds.js';
import type { ApiParts } from '../api/parts.js';
import { createRefund } from '../api/refunds.js';
import { bodyParsedBy, keyRoute, queryOf, type Route } from './route.js';

const params = { refund_id: { parse: parseRefundId, code: 'refund_not_found' } } as const;

export const refundRoutes = (parts: ApiParts): readonly Route[] => [
  keyRoute({
    method: 'POST',
    path: '/v1/refunds',
    summary: 'Refund a payment, whole or in part',
    idempotent: true,
    body: bodyParsedBy<RefundRequest, RefundFault>(CreateRefundRequest, parseRefundRequest),
    answers: { 201: Refund, 200: Refund },
    errors: [
      'amount_invalid',
      'amount_out_of_range',
      'card_data_refused',
      'payment_not_found',
      'state_conflict',
      'refund_exceeds_payment',
      'idempotency_conflict',
      'outcome_unknown',
    ],
    handle: (request) => createRefund(parts, request),
  }),
  keyRoute({
    method: 'GET',
    path: '/v1/refunds',
    summary: 'List refunds',
    query: queryOf(RefundsQuery),
    answers: { 200: listOf(Refund) },
    errors: ['field_invalid'],
    handle: (request) => listRefunds(parts, request),
  }),
  keyRoute({
    method: 'GET',
    path: '/v1/refunds/{refund_id}',
    summary: 'Show a refund',
    params,
    answers: { 200: Refund },
    errors: ['refund_not_found'],
    handle: (request) => getRefund(parts, request),
  }),
];
