// The adapter for Xendit (Payments API v3, refunds, payouts v2). This file makes the calls; the files beside it translate.
// Xendit finds an order only by its payment_request_id: after a time-out the order stays unknown until a callback names it.
import type { ChargeCall, CloseCall, RefundCall } from '#actors/core/payment/rail-calls.js';
import type {
  ChargeAnswer,
  CloseAnswer,
  PayoutAnswer,
  PayoutOrder,
} from '#actors/core/rails/answers.js';
import { isUnsent, type RailClient } from '../rail-client.js';
import type {
  BeginRefund,
  InquiryAnswer,
  Payer,
  RailAdapter,
  RailOrder,
  ChargeCallAnswer,
  RefundCallAnswer,
  RefundInquiryAnswer,
  UnknownAnswer,
  UnusableOrder,
} from '../rail.js';
import { readRailAmount } from '../wire.js';
import { readXenditCallback } from './callback.js';
import { buildPaymentRequestBody, readInstructions } from './charge.js';
import { readPayment, readPaymentRequest, readOrderState } from './order-state.js';
import { findPayout, buildPayoutBody, readPayoutReply } from './payouts.js';
import {
  buildRefundBody,
  findRefund,
  isRefundList,
  listMadeRefunds,
  readRefundReply,
} from './refunds.js';
import { isPaymentId, listXenditTransactions } from './transactions.js';
import {
  API_VERSION,
  buildRequestPath,
  fetchPaymentRequest,
  listRefunds,
  readReply,
  REFUSALS,
  type Reply,
  sendRequest,
} from './wire.js';

const UNKNOWN = { result: 'unknown' } as const;
const ABSENT = { result: 'unknown', isAbsent: true } as const;

interface XenditDeps {
  readonly client: RailClient;
  readonly callbackToken: string;
  readonly nowMs: () => number;
}

export function createXenditAdapter(deps: XenditDeps): RailAdapter {
  const { client } = deps;
  return {
    charge: (call, payer, signal) => charge(deps, call, payer, signal),
    close: (call, signal) => close(client, call, signal),
    refund: (call, signal, begin) => refund(client, call, signal, begin),
    inquirePayment: (order, signal) => inquirePaymentAndRefunds(client, order, signal),
    inquireRefund: (call, signal) => inquireRefund(client, call, signal),
    payOut: (order, signal) => payOut(client, order, signal),
    inquirePayout: (order, signal) => inquirePayout(client, order, signal),
    readCallback: (callback) => readXenditCallback(callback, deps.callbackToken),
    listTransactions: (query, signal) => listXenditTransactions(client, query, signal),
  };
}

async function charge(
  { client, nowMs }: XenditDeps,
  call: ChargeCall,
  payer: Payer,
  signal: AbortSignal,
): Promise<ChargeCallAnswer> {
  const body = buildPaymentRequestBody(call, payer, nowMs());
  if (body === null) return { result: 'refused' };
  const path = '/v3/payment_requests';
  const operation = 'charge';
  const request = { method: 'POST', operation, path, headers: API_VERSION, body } as const;
  const response = await client.send(request, signal);
  if (response.kind === 'not_sent') return { result: 'not_sent' };
  const reply = readReply(response);
  if (reply.kind === 'error') return REFUSALS.has(reply.code) ? { result: 'refused' } : UNKNOWN;
  return reply.kind === 'done' ? readCharge(reply.body, call) : UNKNOWN;
}

/** A request that has failed at once was refused. */
function readCharge(
  body: unknown,
  order: Pick<RailOrder, 'orderId' | 'amountMinor'>,
): ChargeAnswer | UnusableOrder {
  const request = readPaymentRequest(body, order.orderId);
  if (request === null || readRailAmount(request.request_amount) !== order.amountMinor)
    return UNKNOWN;
  const state = readOrderState(request);
  if (state.result === 'failed') return { result: 'refused' };
  const instructions = readInstructions(request);
  if (state.result !== 'pending' || instructions === null) return UNKNOWN;
  const { payment_request_id: railReference } = request;
  if (instructions === 'unusable') return { result: 'unusable', railReference };
  return { result: 'accepted', railReference, instructions };
}

async function inquirePayment(
  client: RailClient,
  order: Pick<RailOrder, 'orderId' | 'railReference'> & Partial<RailOrder>,
  signal: AbortSignal,
): Promise<InquiryAnswer> {
  const { orderId, railReference, amountMinor, wantsInstructions = false } = order;
  if (railReference === null) return UNKNOWN;
  if (isPaymentId(railReference)) {
    // Only reconciliation knows this id, from the list of transactions.
    return fetchPayment(client, { orderId, paymentId: railReference, otherwise: UNKNOWN }, signal);
  }
  const reply = await fetchPaymentRequest(client, railReference, signal);
  if (reply.kind === 'error' && reply.code === 'DATA_NOT_FOUND') return ABSENT;
  const found = reply.kind === 'done' ? readPaymentRequest(reply.body, orderId) : null;
  if (found?.payment_request_id !== railReference) return UNKNOWN;
  const state = readOrderState(found);
  if (state.result === 'ask_payment') {
    return fetchPayment(client, { orderId, ...state }, signal);
  }
  if (state.result !== 'pending') return state;
  if (amountMinor !== undefined && readRailAmount(found.request_amount) !== amountMinor)
    return UNKNOWN;
  const read = readInstructions(found);
  if (wantsInstructions && read === null) return UNKNOWN;
  if (wantsInstructions && read === 'unusable') return { result: 'unusable', railReference };
  const instructions = read === 'unusable' ? null : read;
  return { result: 'open', charge: { result: 'accepted', railReference, instructions } };
}

/** Only QRIS payments can be refunded. */
async function inquirePaymentAndRefunds(
  client: RailClient,
  order: RailOrder,
  signal: AbortSignal,
): Promise<InquiryAnswer> {
  const answer = await inquirePayment(client, order, signal);
  const { railReference, method, wantsGivenBack = false } = order;
  const hasRefunds = method === 'QRIS' && railReference !== null && !isPaymentId(railReference);
  if (answer.result !== 'settled' || !wantsGivenBack || !hasRefunds) return answer;
  return {
    ...answer,
    givenBack: listMadeRefunds(await listRefunds(client, railReference, signal)),
  };
}

async function fetchPayment(
  client: RailClient,
  about: Pick<RailOrder, 'orderId'> & { paymentId: string; otherwise: InquiryAnswer },
  signal: AbortSignal,
): Promise<InquiryAnswer> {
  const { orderId, paymentId, otherwise } = about;
  const path = `/v3/payments/${encodeURIComponent(paymentId)}`;
  const reply = await sendRequest(client, { method: 'GET', path, headers: API_VERSION }, signal);
  const payment = reply.kind === 'done' ? readPayment(reply.body, orderId, paymentId) : null;
  return payment === null ? UNKNOWN : (payment.settled ?? otherwise);
}

/** The reply to a cancel is not enough: the order's status tells its state. */
async function close(
  client: RailClient,
  call: CloseCall,
  signal: AbortSignal,
): Promise<CloseAnswer> {
  if (call.railReference === null) return UNKNOWN;
  const path = `${buildRequestPath(call.railReference)}/cancel`;
  const reply = await sendRequest(
    client,
    { method: 'POST', operation: 'close', path, headers: API_VERSION },
    signal,
  );
  if (reply.kind === 'nothing') return UNKNOWN;
  const state = await inquirePayment(client, call, signal);
  switch (state.result) {
    case 'settled':
      return { result: 'settled', settlement: state.settlement };
    case 'closed':
    case 'failed':
    case 'reversed':
      return { result: 'closed' };
    case 'open':
      return isUnchangeable(reply) ? { result: 'refused' } : UNKNOWN;
    default:
      return UNKNOWN;
  }
}

function isUnchangeable(reply: Reply): boolean {
  return (
    reply.kind === 'error' &&
    /^(INACTIVE_PAYMENT_REQUEST|INELIGIBLE_TRANSACTION_STATUS)$/.test(reply.code)
  );
}

/** Xendit refunds by the payment request's id; without it an administrator pays the refund by hand. */
async function refund(
  client: RailClient,
  call: RefundCall,
  signal: AbortSignal,
  begin?: BeginRefund,
): Promise<RefundCallAnswer> {
  if (call.method !== 'QRIS' || call.railReference === null) return { result: 'manual_required' };
  const listed = await listRefunds(client, call.railReference, signal);
  if (!isRefundList(listed)) return { result: 'not_sent' };
  const earlier = findRefund(listed, call);
  if (earlier !== 'absent') return earlier;
  if ((await begin?.()) === false) return { result: 'not_sent' };
  const headers = { 'idempotency-key': call.refundId };
  const body = buildRefundBody(call, call.railReference);
  const request = { method: 'POST', operation: 'refund', path: '/refunds', headers, body } as const;
  const response = await client.send(request, signal);
  if (isUnsent(response)) return { result: 'not_sent' };
  return readRefundReply(readReply(response), call);
}

async function inquireRefund(
  client: RailClient,
  call: RefundCall,
  signal: AbortSignal,
): Promise<RefundInquiryAnswer> {
  if (call.method !== 'QRIS' || call.railReference === null) return { result: 'manual_required' };
  const found = findRefund(await listRefunds(client, call.railReference, signal), call);
  return found === 'absent' ? ABSENT : found;
}

async function payOut(
  client: RailClient,
  order: PayoutOrder,
  signal: AbortSignal,
): Promise<PayoutAnswer> {
  const body = buildPayoutBody(order);
  if (body === null) return { result: 'failed', failureCode: 'processing_failed' };
  const headers = { 'idempotency-key': order.payoutId };
  const request = {
    method: 'POST',
    operation: 'payout',
    path: '/v2/payouts',
    headers,
    body,
  } as const;
  const answer = readPayoutReply(await sendRequest(client, request, signal), order);
  return answer === 'inquire' ? inquirePayout(client, order, signal) : answer;
}

async function inquirePayout(
  client: RailClient,
  order: PayoutOrder,
  signal: AbortSignal,
): Promise<PayoutAnswer | UnknownAnswer> {
  const { railReference, payoutId } = order;
  const path =
    railReference === null
      ? `/v2/payouts?reference_id=${encodeURIComponent(payoutId)}`
      : `/v2/payouts/${encodeURIComponent(railReference)}`;
  return findPayout(await sendRequest(client, { method: 'GET', path }, signal), order);
}
