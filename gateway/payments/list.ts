// The payments of a merchant, newest first.
import { type Static, Type } from '@sinclair/typebox';
import { isPaymentMethodId, PAYMENT_METHOD_IDS } from '#actors/core/payment-methods.js';
import { viewPayment } from '#actors/core/payment/view.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { findFreeTextError, isPhone } from '#actors/core/requests/validation.js';
import { Payment } from '#actors/core/schemas/payment.js';
import {
  type ListedPayment,
  listPayments as findPayments,
  type PaymentFilter,
} from '#store/postgres/payments/list-payments.js';
import { type Answer, type ApiError, buildApiError } from '../routing/response.js';
import type { KeyRequest, NoParams } from '../routing/request.js';
import { readTimes, TIMES_QUERY } from '../lists/filters.js';
import { type Listing, type ListDeps, type Owner, showPage } from '../lists/listing.js';
import { PAGE_QUERY, buildParameterError } from '../lists/page.js';

const MAX_REFERENCE_CHARACTERS = 128;

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
    ...TIMES_QUERY,
    ...PAGE_QUERY,
  },
  { additionalProperties: false },
);
export type PaymentsQuery = Static<typeof PaymentsQuery>;

/** 200 with a page; 400 names the parameter that is wrong. */
export function listPayments(
  parts: ListDeps,
  { credential, query }: KeyRequest<NoParams, undefined, PaymentsQuery>,
): Promise<Answer> {
  return showPage(createPaymentListing(parts, credential, query), query);
}

/** `customer`, which keys do not have: a part of a name, an e-mail address or a phone number. */
export function createPaymentListing(
  parts: ListDeps,
  owner: Owner,
  query: PaymentsQuery & { readonly customer?: string },
): Listing<ListedPayment> | ApiError {
  const filter = readFilter(owner, query);
  if ('code' in filter) return filter;
  return {
    scope: { list: 'payments', merchantId: owner.merchantId, environment: owner.environment },
    columns: Object.keys(Payment.properties),
    find: (page) => findPayments(parts.lists, filter, page),
    view: ({ snapshot }) => viewPayment(decodeSnapshot(snapshot), parts.baseUrl),
  };
}

function readFilter(
  { merchantId, environment }: Owner,
  query: PaymentsQuery & { readonly customer?: string },
): PaymentFilter | ApiError {
  const { status = null, reference_id: referenceId = null, payment_method: method = null } = query;
  const { customer = null } = query;
  if (method !== null && !isPaymentMethodId(method)) {
    return buildParameterError('payment_method', `must be one of ${PAYMENT_METHOD_IDS.join(', ')}`);
  }
  const fault = checkText(query, 'reference_id') ?? checkText(query, 'customer');
  if (fault !== null) return fault;
  const times = readTimes(query);
  if ('code' in times) return times;
  const texts = { status, referenceId, paymentMethod: method, customer };
  return { merchantId, environment, ...texts, ...times };
}

/** As on create: what no payment can have there is refused, in a reference a card number above all. */
function checkText(
  query: PaymentsQuery & { readonly customer?: string },
  param: 'reference_id' | 'customer',
): ApiError | null {
  const text = query[param];
  if (text === undefined) return null;
  if (text.length > MAX_REFERENCE_CHARACTERS * 2) return buildParameterError(param, 'is too long');
  if (param === 'customer' && isPhone(text)) return null;
  const code = findFreeTextError(text);
  return code === null ? null : buildApiError(code, { param });
}
