// The payments of a merchant, newest first.
import { type Static, Type } from '@sinclair/typebox';
import { isPaymentMethodId, PAYMENT_METHOD_IDS } from '#actors/core/payment-methods.js';
import {
  buildSearch,
  MAX_SEARCH_CHARACTERS,
  MAX_SEARCH_WORDS,
  type SearchTenant,
} from '#actors/core/payment/search-words.js';
import { removeHidden } from '#actors/core/hidden-characters.js';
import { readTexts } from '#actors/core/requests/sent-texts.js';
import { cutAnswer } from '#actors/core/payment/wire/answer.js';
import {
  findFreeTextError,
  findPhoneError,
  isWithinLength,
} from '#actors/core/requests/validation.js';
import { readPhone } from '#actors/core/typed-identifiers.js';
import { Payment, type PaymentBody } from '#actors/core/schemas/payment.js';
import {
  type ListedPayment,
  PAYMENT_MARKS,
  listPayments as findPayments,
  type PaymentFilter,
} from '#store/postgres/payments/list-payments.js';
import { type Answer, type ApiError, buildApiError } from '#gateway/routing/response.js';
import type { KeyRequest, NoParams } from '#gateway/routing/request.js';
import { listColumns } from '#gateway/lists/csv-cells.js';
import { readTimes, TIMES_QUERY } from '#gateway/lists/filters.js';
import {
  type Listing,
  type ListDeps,
  type ListingDeps,
  type Tenant,
  showPage,
} from '#gateway/lists/listing.js';
import { PAGE_QUERY, buildParameterError } from '#gateway/lists/page.js';

const MAX_REFERENCE_CHARACTERS = 128;

export const PaymentStatusFilter = Type.Optional(
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
);

const MarkFilter = Type.Optional(
  Type.Union(
    PAYMENT_MARKS.map((mark) => Type.Literal(mark)),
    {
      description:
        'partly_refunded: paid, and a part was given back. late: paid after it had failed or been cancelled. charged_back: ' +
        "the customer's bank took money back.",
      errorMessage: `must be one of ${PAYMENT_MARKS.join(', ')}`,
      examples: ['charged_back'],
    },
  ),
);

/** As a create stores them. */
const FILTER_TEXTS = {
  reference_id: removeHidden,
  customer: readSought,
  q: readSought,
} as const;

function readSought(text: string): string {
  const phone = readPhone(text);
  return findPhoneError(phone) === 'field_invalid' ? removeHidden(text) : phone;
}

const SEARCH_REQUIREMENT = `must be 1 to ${MAX_SEARCH_WORDS} words, of at most ${MAX_SEARCH_CHARACTERS} characters together`;

const buildAmountFilter = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,15}$',
      description,
      errorMessage: 'must be a whole number of minor units, of at most 15 digits, such as 150000',
      examples: ['150000'],
    }),
  );

const AMOUNTS_QUERY = {
  amount_from: buildAmountFilter('Of this amount or more, in minor units.'),
  amount_to: buildAmountFilter('Of this amount or less, in minor units.'),
};

export const PaymentsQuery = Type.Object(
  {
    q: Type.Optional(
      Type.String({
        description:
          "Words that all occur in the payment's id, reference_id, customer_name, customer_email, customer_phone, amount or " +
          'metadata, in any order and in upper or lower case. The beginning of the last word is enough. `150.000` is the ' +
          'amount `150000`. At most 8 words and 100 characters. A new payment is found within a second.',
        errorMessage: SEARCH_REQUIREMENT,
        examples: ['budi 150.000'],
      }),
    ),
    status: PaymentStatusFilter,
    mark: MarkFilter,
    reference_id: Type.Optional(Type.String({ description: "The merchant's own id, exact." })),
    payment_method: Type.Optional(
      Type.String({
        description: 'The method that the payment shows.',
        examples: ['QRIS'],
      }),
    ),
    ...AMOUNTS_QUERY,
    ...TIMES_QUERY,
    ...PAGE_QUERY,
  },
  { additionalProperties: false },
);
export type PaymentsQuery = Static<typeof PaymentsQuery>;

/** 200 with a page; 400 names the invalid parameter. */
export function listPayments(
  deps: ListDeps,
  { credential, query }: KeyRequest<NoParams, undefined, PaymentsQuery>,
): Promise<Answer> {
  return showPage(deps, createPaymentListing(deps, credential, query), query);
}

/** `customer`, a part of a name, e-mail address or phone number, can be searched by sessions only. */
export function createPaymentListing(
  deps: ListingDeps,
  tenant: Tenant,
  query: PaymentsQuery & { readonly customer?: string },
): Listing<ListedPayment> | ApiError {
  const filter = readFilter(tenant, query);
  if ('code' in filter) return filter;
  const write = ({ snapshot }: ListedPayment): string => cutAnswer(snapshot, deps.baseUrl);
  return {
    scope: { list: 'payments', merchantId: tenant.merchantId, environment: tenant.environment },
    columns: listColumns(Payment),
    find: (page) => findPayments(deps.lists, filter, page),
    view: (row) => JSON.parse(write(row)) as PaymentBody,
    write,
  };
}

export function readFilter(
  { merchantId, environment }: Tenant,
  sent: PaymentsQuery & { readonly customer?: string },
): PaymentFilter | ApiError {
  const query = readTexts(sent, FILTER_TEXTS) as typeof sent;
  const { status = null, reference_id: referenceId = null, payment_method: method = null } = query;
  const { customer = null, mark = null } = query;
  if (method !== null && !isPaymentMethodId(method)) {
    return buildParameterError('payment_method', `must be one of ${PAYMENT_METHOD_IDS.join(', ')}`);
  }
  const fault =
    checkText(query, 'reference_id') ?? checkText(query, 'customer') ?? checkText(query, 'q');
  if (fault !== null) return fault;
  const search = readSearch({ merchantId, environment }, query.q);
  if (search !== null && typeof search === 'object') return search;
  const times = readTimes(query);
  if ('code' in times) return times;
  const amounts = { amountFrom: query.amount_from ?? null, amountTo: query.amount_to ?? null };
  const texts = { status, referenceId, paymentMethod: method, customer, search };
  return { merchantId, environment, mark, ...texts, ...amounts, ...times };
}

/** The query of the words; null: there is no search. */
function readSearch(tenant: SearchTenant, text: string | undefined): string | null | ApiError {
  if (text === undefined) return null;
  const search = buildSearch(tenant, text);
  if (typeof search === 'object' && isWithinLength(text, MAX_SEARCH_CHARACTERS))
    return search.query;
  return buildParameterError('q', SEARCH_REQUIREMENT);
}

/** Rejects texts that no payment can hold, as create does; above all a card number, which must not be logged. */
function checkText(
  query: PaymentsQuery & { readonly customer?: string },
  param: 'reference_id' | 'customer' | 'q',
): ApiError | null {
  const text = query[param];
  if (text === undefined) return null;
  if (text.length > MAX_REFERENCE_CHARACTERS * 2) {
    const requirement = `must be at most ${MAX_REFERENCE_CHARACTERS} characters`;
    return buildParameterError(param, param === 'q' ? SEARCH_REQUIREMENT : requirement);
  }
  if (param !== 'reference_id' && findPhoneError(text) === null) return null;
  const code = findFreeTextError(text);
  return code === null ? null : buildApiError(code, { param });
}
