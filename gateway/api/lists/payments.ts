// The payments of a merchant, newest first.
import { type Static, Type } from '@sinclair/typebox';
import { isPaymentMethodId, PAYMENT_METHOD_IDS } from '../../../actors/core/payment-methods.js';
import { viewPayment } from '../../../actors/core/payment/view.js';
import { decodeSnapshot } from '../../../actors/core/payment/wire/snapshot.js';
import { findFreeTextFault } from '../../../actors/core/requests/text.js';
import {
  listPayments as findPayments,
  type PaymentFilter,
} from '../../../store/postgres/payments/lists/list-payments.js';
import { type Answer, type Refusal, refuse, reply } from '../../http/answer.js';
import type { KeyRequest, NoParams } from '../../http/request.js';
import { askStore } from '../ask-store.js';
import type { ApiParts } from '../parts.js';
import type { ListScope } from './cursor.js';
import { PAGE_QUERY, readPage, refuseParameter, writePage } from './page.js';
import { parseTime } from './time-filter.js';

const MAX_REFERENCE_CHARACTERS = 128;
const time = (description: string) =>
  Type.Optional(Type.String({ description, examples: ['2026-08-02T00:00:00.000Z'] }));

export const PaymentsQuery = Type.Object(
  {
    status: Type.Optional(
      Type.Union(
        [
          Type.Literal('pending'),
          Type.Literal('paid'),
          Type.Literal('failed'),
          Type.Literal('cancelled'),
          Type.Literal('refunded'),
        ],
        { errorMessage: 'must be pending, paid, failed, cancelled or refunded' },
      ),
    ),
    reference_id: Type.Optional(Type.String({ description: "The merchant's own id, exact." })),
    payment_method: Type.Optional(
      Type.String({
        description: 'What is shown as the method of the payment.',
        examples: ['QRIS'],
      }),
    ),
    created_from: time('Created at this time or later: ISO 8601, or a day in UTC.'),
    created_to: time('Created before this time.'),
    ...PAGE_QUERY,
  },
  { additionalProperties: false },
);
export type PaymentsQuery = Static<typeof PaymentsQuery>;

/** 200 with a page; 400 names the parameter that is wrong. */
export async function listPayments(
  parts: ApiParts,
  request: KeyRequest<NoParams, undefined, PaymentsQuery>,
): Promise<Answer> {
  const { merchantId, environment } = request.credential;
  const scope: ListScope = { list: 'payments', merchantId, environment };
  const page = readPage(scope, request.query);
  if ('code' in page) return page;
  const filter = readFilter(scope, request.query);
  if ('code' in filter) return filter;
  const found = await askStore(parts, (sql) => findPayments(sql, filter, page));
  if (found === undefined) return refuse('dependency_unavailable');
  const body = writePage(scope, page.limit, found, ({ snapshot }) =>
    JSON.stringify(viewPayment(decodeSnapshot(snapshot), parts.baseUrl)),
  );
  return reply(200, body);
}

function readFilter(
  { merchantId, environment }: ListScope,
  query: PaymentsQuery,
): PaymentFilter | Refusal {
  const { status = null, reference_id: referenceId = null, payment_method: method = null } = query;
  if (method !== null && !isPaymentMethodId(method)) {
    return refuseParameter('payment_method', `must be one of ${PAYMENT_METHOD_IDS.join(', ')}`);
  }
  const fault = referenceId === null ? null : findReferenceFault(referenceId);
  if (fault !== null) return fault;
  const createdFromMs = readTime(query, 'created_from');
  if (typeof createdFromMs === 'object' && createdFromMs !== null) return createdFromMs;
  const createdToMs = readTime(query, 'created_to');
  if (typeof createdToMs === 'object' && createdToMs !== null) return createdToMs;
  const times = { createdFromMs, createdToMs };
  return { merchantId, environment, status, referenceId, paymentMethod: method, ...times };
}

/** As on create: what no payment can have as its reference is refused, a card number above all. */
function findReferenceFault(referenceId: string): Refusal | null {
  if (referenceId.length > MAX_REFERENCE_CHARACTERS * 2) {
    return refuseParameter('reference_id', 'is too long');
  }
  const code = findFreeTextFault(referenceId);
  return code === null ? null : refuse(code, { param: 'reference_id' });
}

function readTime(
  query: PaymentsQuery,
  param: 'created_from' | 'created_to',
): number | null | Refusal {
  const text = query[param];
  if (text === undefined) return null;
  return parseTime(text) ?? refuseParameter(param, 'must be a time such as 2026-08-02T10:15:30Z');
}
