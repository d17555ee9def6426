// The adapter for the dummy rail: one request for each call.
import type { CloseCall, RefundCall } from '#actors/core/payment/rail-calls.js';
import type { CloseAnswer } from '#actors/core/rails/answers.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import { isUnsent, type RailClient } from '#actors/rails/adapters/rail-client.js';
import type {
  BeginRefund,
  InquiryAnswer,
  RailAdapter,
  RailOrder,
  RefundCallAnswer,
  UnknownAnswer,
} from '#actors/rails/adapters/rail.js';
import { readDummyCallback } from './callback.js';
import { buildChargeBody, readCharge } from './charge.js';
import { readOrderState } from './order-state.js';
import { buildRefundBody, readRefund } from './refunds.js';
import { readOrder, readReply } from './wire.js';

interface DummyDeps {
  readonly name: RailName;
  readonly client: RailClient;
  readonly callbackSecret: string;
}

const UNKNOWN = { result: 'unknown' } as const;

export function createDummyAdapter(deps: DummyDeps): RailAdapter {
  const { client, callbackSecret } = deps;
  return {
    charge: async (call, _payer, signal) => {
      const body = buildChargeBody(call);
      const request = { method: 'POST', operation: 'charge', path: '/orders', body } as const;
      const response = await client.send(request, signal);
      if (response.kind === 'not_sent') return { result: 'not_sent' };
      const order = readOrder(readReply(response), call.orderId);
      return order === null ? UNKNOWN : readCharge(order);
    },
    close: (call, signal) => close(deps, call, signal),
    refund: (call, signal, begin) => refund(client, call, signal, begin),
    inquirePayment: (order, signal) => inquirePayment(deps, order, signal),
    inquireRefund: async (call, signal) => {
      const path = `/refunds/${call.refundId}`;
      const reply = readReply(await client.send({ method: 'GET', path }, signal));
      return reply === 'absent' ? { ...UNKNOWN, isAbsent: true } : readRefund(reply, call);
    },
    payOut: () => Promise.reject(new Error('the dummy rail has no payouts')),
    inquirePayout: () => Promise.reject(new Error('the dummy rail has no payouts')),
    readCallback: (callback) => readDummyCallback(callback, callbackSecret),
    listTransactions: null,
  };
}

async function inquirePayment(
  { client, name }: DummyDeps,
  { orderId }: Pick<RailOrder, 'orderId'>,
  signal: AbortSignal,
): Promise<InquiryAnswer> {
  const reply = readReply(await client.send({ method: 'GET', path: `/orders/${orderId}` }, signal));
  if (reply === 'absent') return { ...UNKNOWN, isAbsent: true };
  const order = readOrder(reply, orderId);
  return order === null ? UNKNOWN : readOrderState(order, orderId, name);
}

async function close(
  deps: DummyDeps,
  call: CloseCall,
  signal: AbortSignal,
): Promise<CloseAnswer | UnknownAnswer> {
  const path = `/orders/${call.orderId}/close`;
  await deps.client.send({ method: 'POST', operation: 'close', path }, signal);
  const state = await inquirePayment(deps, call, signal);
  switch (state.result) {
    case 'settled':
      return { result: 'settled', settlement: state.settlement };
    case 'closed':
      return { result: 'closed' };
    default:
      return UNKNOWN;
  }
}

async function refund(
  client: RailClient,
  call: RefundCall,
  signal: AbortSignal,
  begin?: BeginRefund,
): Promise<RefundCallAnswer> {
  if ((await begin?.()) === false) return { result: 'not_sent' };
  const body = buildRefundBody(call);
  const request = { method: 'POST', operation: 'refund', path: '/refunds', body } as const;
  const response = await client.send(request, signal);
  return isUnsent(response) ? { result: 'not_sent' } : readRefund(readReply(response), call);
}
