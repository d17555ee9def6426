// Fetches a page of Xendit's list of transactions. A refund of Xendit's dashboard has no key of ours, and its entry does
// not name our order; the refund names its payment request, which names the order. Such refunds are few.
import { parseRefundId } from '#actors/core/ids.js';
import type { RailClient } from '../rail-client.js';
import type { ListedRefund, ListQuery, TransactionList } from '../rail.js';
import { readOrderId } from './payment-requests.js';
import { readRefundedRequest } from './refunds.js';
import { fetchPaymentRequest, sendRequest } from './requests.js';
import { buildTransactionsPath, readTransactionList, type UnnamedRefund } from './transactions.js';

export async function listXenditTransactions(
  client: RailClient,
  query: ListQuery,
  signal: AbortSignal,
): Promise<TransactionList> {
  const request = { method: 'GET', path: buildTransactionsPath(query) } as const;
  const page = readTransactionList(await sendRequest(client, request, signal));
  if (page.result !== 'page') return page;
  const named: ListedRefund[] = [];
  for (const refund of page.refunds) named.push(await nameOrder(client, refund, signal));
  return { result: 'page', transactions: [...page.transactions, ...named], next: page.next };
}

/** The order stays unnamed when Xendit does not tell it. */
async function nameOrder(
  client: RailClient,
  { paymentRequestId, ...refund }: UnnamedRefund,
  signal: AbortSignal,
): Promise<ListedRefund> {
  const { railRefundId, refundKey, kind } = refund.givenBack;
  const isOurs = refundKey !== null && parseRefundId(refundKey) !== undefined;
  if (isOurs || (kind === 'chargeback' && paymentRequestId === null)) return refund;
  const requestId = paymentRequestId ?? (await fetchRefundedRequest(client, railRefundId, signal));
  if (requestId === null) return refund;
  const orderId = readOrderId(await fetchPaymentRequest(client, requestId, signal));
  return { ...refund, orderId: orderId ?? refund.orderId };
}

async function fetchRefundedRequest(
  client: RailClient,
  refundId: string,
  signal: AbortSignal,
): Promise<string | null> {
  const path = `/refunds/${encodeURIComponent(refundId)}`;
  return readRefundedRequest(await sendRequest(client, { method: 'GET', path }, signal));
}
