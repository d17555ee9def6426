// Xendit's Payments API v3: payment requests, payments, and their webhooks. A request that is paid after its expiry stays
// EXPIRED; its payment shows the money.
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { makeMinor } from '#actors/core/money.js';
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import type { SimulatedOrder, SimulatedOrderStatus, SimulatedPayment } from './orders-store.js';
import type { Callback } from './callback-sender.js';
import {
  type SimulatorRequest,
  hasCredential,
  type SimulatedOperation,
  type Reply,
  type FaultView,
} from './http.js';
import { endOrder, openOrder, advanceOrder, payOrder } from './orders.js';
import type { SimulatorContext } from './simulator-context.js';
import { routePayouts, routeRefunds } from './xendit-money.js';
import { routeTransactions } from './xendit-transactions.js';
import { BUSINESS, findChannel, buildWebhook, buildXenditError } from './xendit-wire.js';

const QRIS_EXPIRES_IN_MS = 48 * 3_600_000;
const VA_EXPIRES_IN_MS = 24 * 3_600_000;

const CHANNELS: Readonly<Record<string, ChargeableMethod>> = {
  QRIS: 'QRIS',
  BCA_VIRTUAL_ACCOUNT: 'VA_BCA',
  BNI_VIRTUAL_ACCOUNT: 'VA_BNI',
  BRI_VIRTUAL_ACCOUNT: 'VA_BRI',
  MANDIRI_VIRTUAL_ACCOUNT: 'VA_MANDIRI',
  PERMATA_VIRTUAL_ACCOUNT: 'VA_PERMATA',
};

const PaymentRequest = Type.Object({
  reference_id: Type.String({ minLength: 1, maxLength: 255 }),
  type: Type.Literal('PAY'),
  country: Type.Literal('ID'),
  currency: Type.Literal('IDR'),
  request_amount: Type.Integer({ minimum: 1 }),
  channel_code: Type.String(),
  channel_properties: Type.Object({
    display_name: Type.Optional(Type.String({ minLength: 1 })),
    expires_at: Type.Optional(Type.String({ pattern: '^[0-9-]{10}T[0-9:.]+Z$' })),
  }),
});
type PaymentRequest = Static<typeof PaymentRequest>;

export function routeXendit(
  ask: SimulatorRequest,
  stage: SimulatorContext,
): SimulatedOperation | Reply {
  if (!hasCredential(ask, stage.settings.xenditSecretKey)) {
    return buildXenditError(401, 'INVALID_API_KEY');
  }
  const [first, second, third, fourth] = ask.path;
  if (first === 'refunds') return routeRefunds(ask, stage);
  if (first === 'transactions') return routeTransactions(ask, stage);
  if (first === 'v2' && second === 'payouts') return routePayouts(ask, stage);
  if (first !== 'v3' || ask.headers['api-version'] !== '2024-11-11') {
    return buildXenditError(404, 'DATA_NOT_FOUND');
  }
  if (second === 'payments') return routePayment(third ?? '', stage);
  if (third === undefined) return createOperation(ask, stage);
  const order = stage.store.findOrder('xendit', third);
  const known = order === undefined ? undefined : advanceOrder(order, stage.nowMs());
  const respond = (run: (it: SimulatedOrder, view: FaultView) => Reply) => ({
    ...({ rail: 'xendit', subject: known?.orderId ?? third } as const),
    run: (view: FaultView) =>
      known?.id === third ? run(known, view) : buildXenditError(404, 'DATA_NOT_FOUND'),
    reject: () => buildXenditError(400, 'INELIGIBLE_TRANSACTION_STATUS'),
  });
  switch (`${ask.method} ${fourth ?? ''}`) {
    case 'GET ':
      return { operation: 'status', ...respond((it, view) => showRequest(it, view)) };
    case 'POST cancel':
      return { operation: 'close', ...respond((it) => cancel(it, stage)) };
    case 'POST simulate':
      return { operation: 'status', ...respond((it) => simulate(it, stage)) };
    default:
      return buildXenditError(404, 'DATA_NOT_FOUND');
  }
}

function createOperation(
  { method, body }: SimulatorRequest,
  stage: SimulatorContext,
): SimulatedOperation | Reply {
  if (method !== 'POST') return buildXenditError(404, 'DATA_NOT_FOUND');
  if (!Value.Check(PaymentRequest, body)) return buildXenditError(400, 'API_VALIDATION_ERROR');
  return {
    operation: 'charge',
    rail: 'xendit',
    subject: body.reference_id,
    run: (view) => create(body, view, stage),
    reject: () => buildXenditError(403, 'INVALID_MERCHANT_SETTINGS'),
  };
}

function create(body: PaymentRequest, { isQrSpoiled }: FaultView, stage: SimulatorContext): Reply {
  const { reference_id: orderId, channel_properties: properties } = body;
  const method = CHANNELS[body.channel_code];
  const isNamed = method === 'QRIS' || properties.display_name !== undefined;
  if (method === undefined || !isNamed) return buildXenditError(400, 'API_VALIDATION_ERROR');
  if (stage.store.findOrder('xendit', orderId) !== undefined) {
    return buildXenditError(409, 'DUPLICATE_ERROR');
  }
  const nowMs = stage.nowMs();
  const presetMs = nowMs + (method === 'QRIS' ? QRIS_EXPIRES_IN_MS : VA_EXPIRES_IN_MS);
  const { expires_at: expires } = properties;
  const expiresAtMs = method === 'QRIS' || expires === undefined ? presetMs : Date.parse(expires);
  if (!(expiresAtMs > nowMs)) return buildXenditError(400, 'INVALID_VALUE_ERROR');
  const amountMinor = makeMinor(BigInt(body.request_amount));
  const asked = { orderId, method, amountMinor, nowMs, expiresAtMs, isQrSpoiled };
  const order = openOrder({ rail: 'xendit', ...asked });
  stage.store.put(order);
  return { status: 201, body: buildRequestBody(order) };
}

const STATUS_NAMES: Readonly<Record<SimulatedOrderStatus, string>> = {
  pending: 'REQUIRES_ACTION',
  settled: 'SUCCEEDED',
  reversed: 'SUCCEEDED',
  denied: 'FAILED',
  expired: 'EXPIRED',
  cancelled: 'CANCELED',
};

function showRequest(order: SimulatedOrder, { isLagging }: FaultView): Reply {
  const seen: SimulatedOrder = isLagging ? { ...order, status: 'pending', payments: [] } : order;
  return { status: 200, body: buildRequestBody(seen) };
}

function buildRequestBody(order: SimulatedOrder): object {
  const latest = order.payments.at(-1);
  const descriptor = order.method === 'QRIS' ? 'QR_STRING' : 'VIRTUAL_ACCOUNT_NUMBER';
  const expires_at = new Date(order.expiresAtMs).toISOString();
  return {
    business_id: BUSINESS,
    reference_id: order.orderId,
    payment_request_id: order.id,
    latest_payment_id: latest?.id ?? null,
    ...{ type: 'PAY', country: 'ID', currency: 'IDR' },
    request_amount: Number(order.amountMinor),
    capture_method: 'AUTOMATIC',
    channel_code: findChannel(order.method),
    channel_properties: order.method === 'QRIS' ? {} : { expires_at },
    actions: [{ type: 'PRESENT_TO_CUSTOMER', descriptor, value: order.payBy }],
    status: STATUS_NAMES[order.status],
    failure_code: order.status === 'denied' ? 'USER_DECLINED_PAYMENT' : null,
    metadata: null,
    created: new Date(order.createdAtMs).toISOString(),
    updated: new Date(latest?.atMs ?? order.createdAtMs).toISOString(),
  };
}

function routePayment(id: string, stage: SimulatorContext): SimulatedOperation {
  const order = stage.store.findOrder('xendit', id);
  const paid = order?.payments.find((payment) => payment.id === id);
  return {
    operation: 'status',
    rail: 'xendit',
    subject: order?.orderId ?? id,
    run: () =>
      order === undefined || paid === undefined
        ? buildXenditError(404, 'DATA_NOT_FOUND')
        : { status: 200, body: buildPaymentBody(order, paid) },
    reject: () => buildXenditError(404, 'DATA_NOT_FOUND'),
  };
}

function buildPaymentBody(order: SimulatedOrder, { id, amountMinor, atMs }: SimulatedPayment) {
  const at = new Date(atMs).toISOString();
  const capture = { capture_id: `cptr-${id.slice(3)}`, capture_timestamp: at };
  return {
    payment_id: id,
    business_id: BUSINESS,
    payment_request_id: order.id,
    reference_id: order.orderId,
    status: 'SUCCEEDED',
    ...{ type: 'PAY', country: 'ID', currency: 'IDR' },
    request_amount: Number(order.amountMinor),
    channel_code: findChannel(order.method),
    capture_method: 'AUTOMATIC',
    captures: [{ ...capture, capture_amount: Number(amountMinor) }],
    created: at,
    updated: at,
  };
}

function cancel(order: SimulatedOrder, stage: SimulatorContext): Reply {
  const ended = endOrder(order, 'cancelled', stage.nowMs());
  if (ended === undefined) return buildXenditError(400, 'INACTIVE_PAYMENT_REQUEST');
  stage.store.put(ended);
  return { status: 200, body: buildRequestBody(ended) };
}

function simulate(order: SimulatedOrder, stage: SimulatorContext): Reply {
  const paid = payOrder(order, { nowMs: stage.nowMs(), isForced: false });
  if (paid === undefined) return buildXenditError(400, 'INACTIVE_PAYMENT_REQUEST');
  stage.change(paid);
  return { status: 200, body: { status: 'PENDING', message: 'the result comes by webhook' } };
}

/** The webhook for a change; null: Xendit sends none. */
export function buildXenditCallback(order: SimulatedOrder, token: string): Callback | null {
  const paid = order.payments.at(-1);
  if (paid !== undefined) {
    return buildWebhook(
      { event: 'payment.capture', subject: order.orderId, token },
      buildPaymentBody(order, paid),
    );
  }
  const events: Partial<Record<SimulatedOrderStatus, string>> = {
    denied: 'payment.failure',
    expired: 'payment_request.expiry',
  };
  const event = events[order.status];
  if (event === undefined) return null;
  return buildWebhook({ event, subject: order.orderId, token }, buildRequestBody(order));
}
