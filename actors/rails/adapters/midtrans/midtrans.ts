// Midtrans (Core API) behind the interface of rails: which calls are made; the files beside it translate. An
// explicit refusal is a list of codes; everything else that is not understood is "unknown".
import type { ChargeCall, CloseCall, RefundCall } from '#actors/core/payment/rail-calls.js';
import { makeMinor } from '#actors/core/money.js';
import type {
  ChargeAnswer,
  CloseAnswer,
  Instructions,
  RefundAnswer,
} from '#actors/core/rails/answers.js';
import type { RailClient } from '../rail-client.js';
import type {
  Capabilities,
  InquiryAnswer,
  MethodCapability,
  Payer,
  Rail,
  RailOrder,
} from '../rail.js';
import { readRailAmount } from '../wire.js';
import { readMidtransCallback } from './callback.js';
import {
  buildChargeBody,
  isChargeDeclined,
  findQrImagePath,
  buildQrInstructions,
  readInstructions,
} from './charge.js';
import { decodeQrImage } from './qr-image.js';
import { canRefund, findRefund, readRefund, buildRefundBody } from './refund.js';
import { type OrderState, readOrderState } from './order-state.js';
import { readReply, readTransaction, type Reply, type Transaction } from './wire.js';

const UNKNOWN = { result: 'unknown' } as const;
const ABSENT = { result: 'unknown', isAbsent: true } as const;
const MAX_EXPIRES_IN_S = 604_800;
const BILLION = 1_000_000_000n;
/** BNI names no limit of its own; it is the highest that we offer. */
const CAPABILITIES: Capabilities = {
  methods: {
    QRIS: buildCapability(1n, 10_000_000n, true),
    VA_BCA: buildCapability(10_000n, 20n * BILLION),
    VA_BNI: buildCapability(1n, 50n * BILLION),
    VA_BRI: buildCapability(1n, 20n * BILLION),
    VA_MANDIRI: buildCapability(1n, 50n * BILLION),
    VA_PERMATA: buildCapability(1n, 9_999_999_999n),
  },
  canPayOut: false,
};

function buildCapability(min: bigint, max: bigint, isRefundable = false): MethodCapability {
  return {
    minAmountMinor: makeMinor(min),
    maxAmountMinor: makeMinor(max),
    isRefundable,
    maxExpiresInS: MAX_EXPIRES_IN_S,
    takesExpiry: true,
  };
}

export interface MidtransDeps {
  readonly client: RailClient;
  /** As configured: addresses in replies are followed below it only. */
  readonly baseUrl: string;
  readonly serverKey: string;
  readonly nowMs: () => number;
}

/** What a status look-up found: the standing, and the reply for whatever else it says. */
interface FoundTransaction {
  readonly standing: OrderState;
  readonly reply: Reply;
  readonly transaction: Transaction;
}

export function createMidtransRail(parts: MidtransDeps): Rail {
  return {
    name: 'midtrans',
    capabilities: CAPABILITIES,
    charge: (call, payer, signal) => chargeOrder(parts, call, payer, signal),
    close: (call, signal) => closeOrder(parts, call, signal),
    refund: (call, signal) => refundOrder(parts, call, signal),
    inquirePayment: (order, signal) => inquirePayment(parts, order, signal),
    inquireRefund: (call, signal) => inquireRefund(parts, call, signal),
    payOut: () => Promise.reject(new Error('Midtrans pays nothing out')),
    inquirePayout: () => Promise.reject(new Error('Midtrans pays nothing out')),
    readCallback: (callback) => readMidtransCallback(callback, parts.serverKey),
    listTransactions: null,
  };
}

async function chargeOrder(
  parts: MidtransDeps,
  call: ChargeCall,
  payer: Payer,
  signal: AbortSignal,
): Promise<ChargeAnswer> {
  const body = buildChargeBody(call, payer, parts.nowMs());
  if (body === null) return { result: 'refused' };
  const response = await parts.client.send({ method: 'POST', path: '/v2/charge', body }, signal);
  if (response.kind === 'not_sent') return { result: 'refused' };
  const reply = readReply(response);
  if (reply === null) return UNKNOWN;
  if (isChargeDeclined(reply.code)) return { result: 'refused' };
  const order = { ...call, railReference: null, bookedTransactionId: null };
  // The order is there already: what became of it says its status, not this reply.
  if (reply.code === 406) return inquireCharge(parts, order, signal);
  const transaction = readTransaction(reply, order);
  if (transaction === null || reply.code > 201) return UNKNOWN;
  const standing = readOrderState(reply, transaction, order);
  if (standing.result !== 'pending') return UNKNOWN;
  return readAccepted(parts, { standing, reply, transaction }, order, signal);
}

async function inquireCharge(
  parts: MidtransDeps,
  order: RailOrder,
  signal: AbortSignal,
): Promise<ChargeAnswer> {
  const answer = await inquirePayment(parts, order, signal);
  return answer.result === 'open' ? answer.charge : UNKNOWN;
}

/** An order that nobody could be shown how to pay counts as unknown: a later look-up may show it. */
async function readAccepted(
  parts: MidtransDeps,
  { reply, transaction }: FoundTransaction,
  order: RailOrder,
  signal: AbortSignal,
): Promise<ChargeAnswer> {
  if (readRailAmount(transaction.gross_amount) !== order.amountMinor) return UNKNOWN;
  const { transaction_id: railReference } = transaction;
  const shown =
    readInstructions(reply.body) ??
    // Who knows the reference was told the instructions with it; look-ups fetch no pictures for nothing.
    (order.method === 'QRIS' && order.railReference === null
      ? await fetchQr(parts, reply.body, railReference, signal)
      : null);
  const isShown = shown !== null || order.railReference !== null;
  return isShown ? { result: 'accepted', railReference, instructions: shown } : UNKNOWN;
}

async function fetchQr(
  { client, baseUrl }: MidtransDeps,
  body: object,
  transactionId: string,
  signal: AbortSignal,
): Promise<Instructions | null> {
  const path = findQrImagePath(body, transactionId, baseUrl);
  const request = { method: 'GET', path, headers: { accept: 'image/png' } } as const;
  const response = await client.send(request, signal);
  if (response.kind !== 'answer' || response.status !== 200) return null;
  const payload = decodeQrImage(response.body);
  return payload === null ? null : buildQrInstructions(payload);
}

async function inquirePayment(
  parts: MidtransDeps,
  order: RailOrder,
  signal: AbortSignal,
): Promise<InquiryAnswer> {
  const reply = await fetchStatus(parts, order, signal);
  const found = readTransactionStatus(reply, order);
  if (found === null) return reply?.code === 404 ? ABSENT : UNKNOWN;
  if (found.standing.result !== 'pending') return found.standing;
  const charge = await readAccepted(parts, found, order, signal);
  return charge.result === 'unknown' ? UNKNOWN : { result: 'open', charge };
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

/** null: the status is not known; a 404 says no more, since the charge may still be on its way. */
function readTransactionStatus(reply: Reply | null, order: InquiredOrder): FoundTransaction | null {
  const transaction = reply === null ? null : readTransaction(reply, order);
  if (reply === null || transaction === null) return null;
  return { standing: readOrderState(reply, transaction, order), reply, transaction };
}

/** The reply to a close is not read further than to its code: how the order stands then says its status. */
async function closeOrder(
  parts: MidtransDeps,
  call: CloseCall,
  signal: AbortSignal,
): Promise<CloseAnswer> {
  const verb = call.purpose === 'expire' ? 'expire' : 'cancel';
  const path = `/v2/${encodeURIComponent(call.railReference ?? call.orderId)}/${verb}`;
  const reply = readReply(await parts.client.send({ method: 'POST', path }, signal));
  if (reply === null) return UNKNOWN;
  const order = { ...call, bookedTransactionId: null };
  const found = readTransactionStatus(await fetchStatus(parts, order, signal), order);
  switch (found?.standing.result) {
    case 'settled':
      return found.standing;
    case 'closed':
    case 'failed':
    case 'reversed':
      return { result: 'closed' };
    case 'pending':
      return reply.code === 412 ? { result: 'refused' } : UNKNOWN;
    default:
      return UNKNOWN;
  }
}

async function refundOrder(
  parts: MidtransDeps,
  call: RefundCall,
  signal: AbortSignal,
): Promise<RefundAnswer> {
  if (!canRefund(call.method)) return { result: 'manual_required' };
  const path = `/v2/${encodeURIComponent(call.railTransactionId)}/refund`;
  const body = buildRefundBody(call);
  const reply = readReply(await parts.client.send({ method: 'POST', path, body }, signal));
  if (reply === null) return UNKNOWN;
  const reading = readRefund(reply, call);
  if (reading.result !== 'look_up') return reading;
  const standing = await fetchByTransaction(parts, call, signal);
  return standing === null ? UNKNOWN : (findRefund(standing, call) ?? reading.otherwise);
}

/** Not among the transaction's refunds is no proof that it will not be: the request may be on its way. */
async function inquireRefund(
  parts: MidtransDeps,
  call: RefundCall,
  signal: AbortSignal,
): Promise<RefundAnswer> {
  if (!canRefund(call.method)) return { result: 'manual_required' };
  const standing = await fetchByTransaction(parts, call, signal);
  return (standing === null ? null : findRefund(standing, call)) ?? UNKNOWN;
}

async function fetchByTransaction(
  parts: MidtransDeps,
  { orderId, railTransactionId }: RefundCall,
  signal: AbortSignal,
): Promise<Reply | null> {
  const order = { orderId, railReference: railTransactionId, bookedTransactionId: null };
  return readTransactionStatus(await fetchStatus(parts, order, signal), order)?.reply ?? null;
}
