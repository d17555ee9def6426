// The adapter for Midtrans (Core API). This file makes the calls; the files beside it translate. Refusals are a list of
// codes; every other reply that is not understood is "unknown".
import type { ChargeCall, CloseCall, RefundCall } from '#actors/core/payment/rail-calls.js';
import type { ChargeAnswer, CloseAnswer } from '#actors/core/rails/answers.js';
import { isUnsent, type RailClient } from '../rail-client.js';
import type {
  BeginRefund,
  InquiryAnswer,
  Payer,
  RailAdapter,
  RailOrder,
  UnknownAnswer,
  UnusableOrder,
  ChargeCallAnswer,
  RefundCallAnswer,
  RefundInquiryAnswer,
} from '../rail.js';
import { readRailAmount } from '../wire.js';
import { readMidtransCallback } from './callback.js';
import {
  buildChargeBody,
  isChargeDeclined,
  findQrImagePath,
  buildQrInstructions,
  readInstructions,
  type ReadInstructions,
} from './charge.js';
import { decodeQrImage } from '../qr-image.js';
import { canRefund, findRefund, readRefund, buildRefundBody } from './refunds.js';
import { type OrderState, readOrderState } from './order-state.js';
import { readReply, readTransaction, type Reply, type Transaction } from './wire.js';

const UNKNOWN = { result: 'unknown' } as const;
const ABSENT = { result: 'unknown', isAbsent: true } as const;

interface MidtransDeps {
  readonly client: RailClient;
  /** The configured address: only addresses below it are followed. */
  readonly baseUrl: string;
  readonly serverKey: string;
  readonly nowMs: () => number;
}

/** The result of a status inquiry: the order's state, and the reply with everything else. */
interface FoundTransaction {
  readonly state: OrderState;
  readonly reply: Reply;
  readonly transaction: Transaction;
}

export function createMidtransAdapter(deps: MidtransDeps): RailAdapter {
  return {
    charge: (call, payer, signal) => chargeOrder(deps, call, payer, signal),
    close: (call, signal) => closeOrder(deps, call, signal),
    refund: (call, signal, begin) => refundOrder(deps, call, signal, begin),
    inquirePayment: (order, signal) => inquirePayment(deps, order, signal),
    inquireRefund: (call, signal) => inquireRefund(deps, call, signal),
    payOut: () => Promise.reject(new Error('Midtrans has no payouts')),
    inquirePayout: () => Promise.reject(new Error('Midtrans has no payouts')),
    readCallback: (callback) => readMidtransCallback(callback, deps.serverKey),
    listTransactions: null,
  };
}

async function chargeOrder(
  deps: MidtransDeps,
  call: ChargeCall,
  payer: Payer,
  signal: AbortSignal,
): Promise<ChargeCallAnswer> {
  const body = buildChargeBody(call, payer, deps.nowMs());
  if (body === null) return { result: 'refused' };
  const response = await deps.client.send(
    { method: 'POST', operation: 'charge', path: '/v2/charge', body },
    signal,
  );
  if (response.kind === 'not_sent') return { result: 'not_sent' };
  const reply = readReply(response);
  if (reply === null) return UNKNOWN;
  if (isChargeDeclined(reply.code)) return { result: 'refused' };
  const order = {
    ...{ ...call, railReference: null, bookedTransactionId: null },
    wantsInstructions: true,
  };
  // 406: the order exists already. Its status tells its state; this reply does not.
  if (reply.code === 406) return inquireCharge(deps, order, signal);
  const transaction = readTransaction(reply, order);
  if (transaction === null || reply.code > 201) return UNKNOWN;
  const state = readOrderState(reply, transaction, order);
  if (state.result !== 'pending') return UNKNOWN;
  return readAccepted(deps, { state, reply, transaction }, order, signal);
}

async function inquireCharge(
  deps: MidtransDeps,
  order: RailOrder,
  signal: AbortSignal,
): Promise<ChargeAnswer | UnusableOrder> {
  const answer = await inquirePayment(deps, order, signal);
  if (answer.result === 'unusable') return answer;
  return answer.result === 'open' ? answer.charge : UNKNOWN;
}

/** Without payment instructions the charge counts as unknown: a later inquiry may find them. */
async function readAccepted(
  deps: MidtransDeps,
  { reply, transaction }: FoundTransaction,
  order: RailOrder,
  signal: AbortSignal,
): Promise<ChargeAnswer | UnusableOrder> {
  if (readRailAmount(transaction.gross_amount) !== order.amountMinor) return UNKNOWN;
  const { transaction_id: railReference } = transaction;
  const shown =
    readInstructions(reply.body) ??
    (order.method === 'QRIS' && order.wantsInstructions === true
      ? await fetchQr(deps, reply.body, railReference, signal)
      : null);
  if (shown !== null && shown !== 'unusable') {
    return { result: 'accepted', railReference, instructions: shown };
  }
  if (order.wantsInstructions !== true) {
    return { result: 'accepted', railReference, instructions: null };
  }
  return shown === null ? UNKNOWN : { result: 'unusable', railReference };
}

async function fetchQr(
  { client, baseUrl }: MidtransDeps,
  body: object,
  transactionId: string,
  signal: AbortSignal,
): Promise<ReadInstructions | null> {
  const path = findQrImagePath(body, transactionId, baseUrl);
  const request = { method: 'GET', path, headers: { accept: 'image/png' } } as const;
  const response = await client.send(request, signal);
  if (response.kind !== 'answer' || response.status !== 200) return null;
  const payload = decodeQrImage(response.body);
  return payload === null ? null : buildQrInstructions(payload);
}

async function inquirePayment(
  deps: MidtransDeps,
  order: RailOrder,
  signal: AbortSignal,
): Promise<InquiryAnswer> {
  const reply = await fetchStatus(deps, order, signal);
  const found = readTransactionStatus(reply, order);
  if (found === null) return reply?.code === 404 ? ABSENT : UNKNOWN;
  if (found.state.result !== 'pending') return found.state;
  const charge = await readAccepted(deps, found, order, signal);
  if (charge.result === 'unknown' || charge.result === 'unusable') return charge;
  return { result: 'open', charge };
}

type InquiredOrder = Pick<RailOrder, 'orderId' | 'railReference' | 'bookedTransactionId'>;

async function fetchStatus(
  { client }: MidtransDeps,
  order: InquiredOrder,
  signal: AbortSignal,
): Promise<Reply | null> {
  const path = `/v2/${encodeURIComponent(order.railReference ?? order.orderId)}/status`;
  return readReply(await client.send({ method: 'GET', path }, signal));
}

/** null: the status is unknown. Also after a 404, since the charge may still be on its way. */
function readTransactionStatus(reply: Reply | null, order: InquiredOrder): FoundTransaction | null {
  const transaction = reply === null ? null : readTransaction(reply, order);
  if (reply === null || transaction === null) return null;
  return { state: readOrderState(reply, transaction, order), reply, transaction };
}

/** Of the reply to a close only the code is read; the order's status tells its state. */
async function closeOrder(
  deps: MidtransDeps,
  call: CloseCall,
  signal: AbortSignal,
): Promise<CloseAnswer | UnknownAnswer> {
  const verb = call.purpose === 'expire' ? 'expire' : 'cancel';
  const path = `/v2/${encodeURIComponent(call.railReference ?? call.orderId)}/${verb}`;
  const reply = readReply(
    await deps.client.send({ method: 'POST', operation: 'close', path }, signal),
  );
  if (reply === null) return UNKNOWN;
  const order = { ...call, bookedTransactionId: null };
  const status = await fetchStatus(deps, order, signal);
  const found = readTransactionStatus(status, order);
  switch (found?.state.result) {
    case 'settled':
      return { result: 'settled', settlement: found.state.settlement };
    case 'closed':
    case 'failed':
    case 'reversed':
      return { result: 'closed' };
    case 'pending':
      return reply.code === 412 ? { result: 'refused' } : UNKNOWN;
    default:
      return status?.code === 404 ? ABSENT : UNKNOWN;
  }
}

async function refundOrder(
  deps: MidtransDeps,
  call: RefundCall,
  signal: AbortSignal,
  begin?: BeginRefund,
): Promise<RefundCallAnswer> {
  if (!canRefund(call.method)) return { result: 'manual_required' };
  if ((await begin?.()) === false) return { result: 'not_sent' };
  const path = `/v2/${encodeURIComponent(call.railTransactionId)}/refund`;
  const body = buildRefundBody(call);
  const request = { method: 'POST', operation: 'refund', path, body } as const;
  const response = await deps.client.send(request, signal);
  if (isUnsent(response)) return { result: 'not_sent' };
  const reply = readReply(response);
  if (reply === null) return UNKNOWN;
  const reading = readRefund(reply, call);
  if (reading.result !== 'inquire') return reading;
  const found = await fetchByTransaction(deps, call, signal);
  return found === null ? UNKNOWN : (findRefund(found, call) ?? reading.otherwise);
}

/** A refund that is missing from the transaction is unknown: its request may still be on its way. */
async function inquireRefund(
  deps: MidtransDeps,
  call: RefundCall,
  signal: AbortSignal,
): Promise<RefundInquiryAnswer> {
  if (!canRefund(call.method)) return { result: 'manual_required' };
  const found = await fetchByTransaction(deps, call, signal);
  return found === null ? UNKNOWN : (findRefund(found, call) ?? ABSENT);
}

async function fetchByTransaction(
  deps: MidtransDeps,
  { orderId, railTransactionId }: RefundCall,
  signal: AbortSignal,
): Promise<Reply | null> {
  const order = { orderId, railReference: railTransactionId, bookedTransactionId: null };
  return readTransactionStatus(await fetchStatus(deps, order, signal), order)?.reply ?? null;
}
