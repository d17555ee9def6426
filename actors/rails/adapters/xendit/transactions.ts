// Xendit's list of transactions (docs.xendit.co/apidocs/list-transactions): the payments, refunds, chargebacks and payouts
// (`DISBURSEMENT`) of a period, 50 a page. `product_id` is the id of the payment (or its payment request), of the refund, or
// of the payout; `reference_id` is ours.
//
// Two things are not documented. The `reference_id` of a chargeback: the Disputes API names our reference of the payment
// (docs.xendit.co/apidocs/dispute-webhook-notifications), so it is read as that, and `product_data.payment_request_id` is
// preferred where it is given. The `reference_id` of a refund of the dashboard: a text that is no refund id of ours
// is taken for one of the dashboard. A chargeback whose order is not found remains a difference without a payment.
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { parseRefundId } from '#actors/core/ids.js';
import type { GivenBack } from '#actors/core/rails/answers.js';
import type { RailClient } from '../rail-client.js';
import type {
  ListedPayment,
  ListedPayout,
  ListedRefund,
  ListQuery,
  TransactionList,
} from '../rail.js';
import { readRailAmount } from '../wire.js';
import { readOrderId } from './order-state.js';
import { readRefundedRequest } from './refunds.js';
import {
  Amount,
  fetchPaymentRequest,
  Id,
  readReference,
  Reference,
  type Reply,
  sendRequest,
} from './wire.js';

const UNKNOWN = { result: 'unknown' } as const;
/** The longest page. */
const LISTED = 50;
const REQUEST_ID = 'pr-';
const PAYMENT_ID = 'py-';

const TYPES = ['PAYMENT', 'REFUND', 'CHARGEBACK', 'DISBURSEMENT'] as const;

const EntrySchema = Type.Object({
  id: Id,
  product_id: Id,
  type: Type.Union(TYPES.map((type) => Type.Literal(type))),
  status: Type.String({ maxLength: 40 }),
  reference_id: Reference,
  amount: Amount,
  currency: Type.String({ minLength: 1, maxLength: 8 }),
  product_data: Type.Optional(Type.Unknown()),
});
const Listed = TypeCompiler.Compile(EntrySchema);
type Entry = Static<typeof EntrySchema>;

const Page = TypeCompiler.Compile(
  Type.Object({
    has_more: Type.Boolean(),
    data: Type.Array(Type.Unknown(), { maxItems: LISTED }),
  }),
);
const ProductData = TypeCompiler.Compile(Type.Object({ payment_request_id: Id }));

export function isPaymentId(reference: string): boolean {
  return reference.startsWith(PAYMENT_ID);
}

function buildTransactionsPath({ fromMs, toMs, after }: ListQuery): string {
  const query = new URLSearchParams({
    limit: String(LISTED),
    'created[gte]': new Date(fromMs).toISOString(),
    'created[lte]': new Date(toMs - 1).toISOString(),
    ...(after === null ? {} : { after_id: after }),
  });
  for (const type of TYPES) query.append('types', type);
  return `/transactions?${query.toString()}`;
}

/** A refund whose order may have to be asked for. */
type UnnamedRefund = ListedRefund & { readonly paymentRequestId: string | null };

type ListedPage =
  | {
      readonly result: 'page';
      readonly transactions: readonly (ListedPayment | ListedPayout)[];
      readonly refunds: readonly UnnamedRefund[];
      readonly next: string | null;
    }
  | { readonly result: 'unknown' };

/** A page with an entry that is not understood is unknown as a whole: no entry may be skipped silently. */
function readTransactionList(reply: Reply): ListedPage {
  if (reply.kind !== 'done' || !Page.Check(reply.body)) return UNKNOWN;
  const { data, has_more: hasMore } = reply.body;
  const entries = data.filter((entry) => Listed.Check(entry));
  const read = entries.map(readEntry);
  if (entries.length < data.length || read.includes('unknown')) return UNKNOWN;
  const next = entries.at(-1)?.id ?? null;
  if (hasMore && next === null) return UNKNOWN;
  const listed = read.filter((one) => one !== 'unknown' && one !== null);
  return {
    result: 'page',
    transactions: listed.filter((one) => one.kind !== 'refund'),
    refunds: listed.filter((one) => one.kind === 'refund'),
    next: hasMore ? next : null,
  };
}

/** null: no money moved. */
function readEntry(entry: Entry): ListedPayment | ListedPayout | UnnamedRefund | 'unknown' | null {
  const amountMinor = readRailAmount(entry.amount);
  const { type } = entry;
  const isMade = entry.status === 'SUCCESS';
  const reference = entry.reference_id ?? '';
  if (type === 'REFUND' || type === 'CHARGEBACK') {
    if (!isMade) return null;
    return amountMinor === null ? 'unknown' : readRefund(entry, amountMinor);
  }
  if (reference === '') return 'unknown';
  if (type === 'DISBURSEMENT') {
    const state = PAYOUT_STATES[entry.status];
    if (state === undefined || amountMinor === null) return 'unknown';
    const { currency } = entry;
    return { kind: 'payout', payoutId: reference, state, amountMinor, currency };
  }
  const state = PAYMENT_STATES[entry.status];
  // Pending, failed, voided.
  if (state === undefined) return null;
  if (amountMinor === null) return 'unknown';
  return readPayment({ ...entry, reference_id: reference }, state, amountMinor);
}

const PAYMENT_STATES: Readonly<Record<string, ListedPayment['state']>> = {
  SUCCESS: 'settled',
  REVERSED: 'reversed',
};
const PAYOUT_STATES: Readonly<Record<string, ListedPayout['state']>> = {
  PENDING: 'pending',
  SUCCESS: 'completed',
  FAILED: 'failed',
  VOIDED: 'failed',
  REVERSED: 'reversed',
};

function readPayment(
  {
    product_id: product,
    reference_id: orderId,
    currency,
  }: Entry & { readonly reference_id: string },
  state: ListedPayment['state'],
  amountMinor: ListedPayment['amountMinor'],
): ListedPayment {
  const isPayment = isPaymentId(product);
  const isKnown = isPayment || product.startsWith(REQUEST_ID);
  return {
    ...{ kind: 'payment', state, orderId, amountMinor, currency },
    railTransactionId: isPayment ? product : null,
    railReference: isKnown ? product : null,
    otherId: isKnown ? null : product,
  };
}

function readRefund(entry: Entry, amountMinor: GivenBack['amountMinor']): UnnamedRefund {
  const { product_id: railRefundId, currency, product_data } = entry;
  const reference = readReference(entry.reference_id);
  const isRefund = entry.type === 'REFUND';
  const kind = isRefund ? 'refund' : 'chargeback';
  const refundKey = isRefund ? reference : null;
  return {
    kind: 'refund',
    orderId: isRefund ? null : reference,
    givenBack: { railRefundId, refundKey, kind, amountMinor },
    currency,
    paymentRequestId: ProductData.Check(product_data) ? product_data.payment_request_id : null,
  };
}

/**
 * Fetches a page. A refund of Xendit's dashboard has no key of ours, and its entry does not name our order; the refund names
 * its payment request, which names the order. Such refunds are few.
 */
export async function listXenditTransactions(
  client: RailClient,
  query: ListQuery,
  signal: AbortSignal,
): Promise<TransactionList> {
  const request = { method: 'GET', path: buildTransactionsPath(query) } as const;
  const page = readTransactionList(await sendRequest(client, request, signal));
  if (page.result !== 'page') return page;
  const named: ListedRefund[] = [];
  for (const refund of page.refunds) {
    const found = await nameOrder(client, refund, signal);
    // Recorded without its order, the refund would never meet its payment: the page is read again.
    if (found === 'unknown') return { result: 'unknown' };
    named.push(found);
  }
  return { result: 'page', transactions: [...page.transactions, ...named], next: page.next };
}

/** The order stays unnamed when Xendit does not tell it. unknown: Xendit gave no answer. */
async function nameOrder(
  client: RailClient,
  { paymentRequestId, ...refund }: UnnamedRefund,
  signal: AbortSignal,
): Promise<ListedRefund | 'unknown'> {
  const { railRefundId, refundKey, kind } = refund.givenBack;
  const isOurs = refundKey !== null && parseRefundId(refundKey) !== undefined;
  if (isOurs || (kind === 'chargeback' && paymentRequestId === null)) return refund;
  const requestId = paymentRequestId ?? (await fetchRefundedRequest(client, railRefundId, signal));
  if (requestId === null || requestId === 'unknown') return requestId ?? refund;
  const reply = await fetchPaymentRequest(client, requestId, signal);
  if (isUnanswered(reply)) return 'unknown';
  const orderId = readOrderId(reply);
  return { ...refund, orderId: orderId ?? refund.orderId };
}

async function fetchRefundedRequest(
  client: RailClient,
  refundId: string,
  signal: AbortSignal,
): Promise<string | null> {
  const path = `/refunds/${encodeURIComponent(refundId)}`;
  const reply = await sendRequest(client, { method: 'GET', path }, signal);
  return isUnanswered(reply) ? 'unknown' : readRefundedRequest(reply);
}

/** Neither a body nor "not found": it may be answered later. */
function isUnanswered(reply: Reply): boolean {
  return reply.kind === 'nothing' || (reply.kind === 'error' && reply.status !== 404);
}
