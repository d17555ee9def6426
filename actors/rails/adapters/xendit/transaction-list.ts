// Fetches a page of Xendit's list of transactions. A refund of Xendit's dashboard has no key of ours, and its entry does
// not name our order; the refund names its payment request, which names the order. Such refunds are few.
import { parseRefundId } from '#actors/core/ids.js';
import type { RailClient } from '../rail-client.js';
import type { ListedRefund, ListQuery, TransactionList } from '../rail.js';
import { readOrderId } from './payment-requests.js';
import { readRefundedRequest } from './refunds.js';
import { fetchPaymentRequest, sendRequest } from './requests.js';
import { buildTransactionsPath, readTransactionList, type UnnamedRefund } from './transactions.js';
import type { Reply } from './wire.js';

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
