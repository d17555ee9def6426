// Midtrans' Core API: charge, status, cancel, expire, refund, the picture of a QR code, and notifications. Almost every
// reply has HTTP status 200; `status_code` in the body is the real one.
import { randomUUID } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import QRCode from 'qrcode';
import { type AmountMinor, formatAmount, makeMinor, ZERO_MINOR } from '#actors/core/money.js';
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import type { SimulatedOrder, SimulatedOrderStatus } from './orders-store.js';
import type { Callback } from './callback-sender.js';
import { falsifyAmount } from './faults.js';
import {
  type SimulatorRequest,
  hasCredential,
  type SimulatedOperation,
  type Reply,
  type FaultView,
} from './http.js';
import { MERCHANT, signNotification } from './midtrans-wire.js';
import { advanceOrder, endOrder, hideLastChange, openOrder } from './orders.js';
import type { SimulatorContext } from './simulator-context.js';

const MANDIRI_BILLER = '70012';
const DAY_S = 86_400;
const QRIS_EXPIRES_IN_S = 900;
const UNIT_S = { second: 1, minute: 60, hour: 3600, day: DAY_S } as const;

const Charge = Type.Object({
  payment_type: Type.String(),
  transaction_details: Type.Object({
    order_id: Type.String({ pattern: '^[A-Za-z0-9_~.-]{1,50}$' }),
    gross_amount: Type.Integer({ minimum: 1 }),
  }),
  bank_transfer: Type.Optional(Type.Object({ bank: Type.String() })),
  echannel: Type.Optional(
    Type.Object({
      bill_info1: Type.String({ maxLength: 10 }),
      bill_info2: Type.String({ maxLength: 30 }),
    }),
  ),
  custom_expiry: Type.Optional(
    Type.Object({
      order_time: Type.Optional(Type.String()),
      expiry_duration: Type.Integer({ minimum: 1 }),
      unit: Type.Optional(Type.Enum({ s: 'second', m: 'minute', h: 'hour', d: 'day' } as const)),
    }),
  ),
});
type Charge = Static<typeof Charge>;

const Refund = Type.Object({
  refund_key: Type.String({ pattern: '^[A-Za-z0-9_-]+$' }),
  amount: Type.Optional(Type.Integer({ minimum: 1 })),
});

const BANKS: Readonly<Record<string, ChargeableMethod>> = {
  bca: 'VA_BCA',
  bni: 'VA_BNI',
  bri: 'VA_BRI',
  permata: 'VA_PERMATA',
};

function findMethod({ payment_type: type, bank_transfer, echannel }: Charge) {
  if (type === 'qris') return 'QRIS';
  if (type === 'echannel' && echannel !== undefined) return 'VA_MANDIRI';
  return type === 'bank_transfer' ? BANKS[bank_transfer?.bank ?? ''] : undefined;
}

/** A reply without a transaction: an error. */
function buildRejection(code: number, message: string): Reply {
  const body = { status_code: String(code), status_message: message, id: randomUUID() };
  return { status: code === 401 ? 401 : 200, body };
}

const NOT_FOUND = "Transaction doesn't exist.";
const UNCHANGEABLE = 'Merchant cannot modify the status of the transaction';

export function routeMidtrans(
  ask: SimulatorRequest,
  stage: SimulatorContext,
): SimulatedOperation | Reply {
  if (!hasCredential(ask, stage.settings.midtransServerKey)) {
    return buildRejection(
      401,
      'Transaction cannot be authorized with the current client/server key.',
    );
  }
  const [version, first = '', second, third] = ask.path;
  if (version !== 'v2') return buildRejection(404, 'The requested resource is not found');
  if (ask.method === 'POST' && first === 'charge') return createChargeOperation(ask, stage);
  const isPicture = first === 'qris' && third === 'qr-code';
  const order = stage.store.findOrder('midtrans', isPicture ? (second ?? '') : first);
  const known = order === undefined ? undefined : advanceOrder(order, stage.nowMs());
  const named = { rail: 'midtrans', subject: known?.orderId ?? first } as const;
  const respond = (run: (it: SimulatedOrder, view: FaultView) => Reply | Promise<Reply>) => ({
    ...named,
    run: (view: FaultView) =>
      known === undefined ? buildRejection(404, NOT_FOUND) : run(known, view),
    reject: () => buildRejection(412, UNCHANGEABLE),
  });
  if (isPicture) return { operation: 'picture', ...respond(showPicture) };
  switch (`${ask.method} ${second}`) {
    case 'GET status':
      return { operation: 'status', ...respond((it, view) => showStatus(it, view)) };
    case 'POST cancel':
    case 'POST expire':
      return { operation: 'close', ...respond((it) => close(it, second === 'expire', stage)) };
    case 'POST refund':
      return { operation: 'refund', ...respond((it) => refund(it, ask, stage)) };
    default:
      return buildRejection(404, 'The requested resource is not found');
  }
}

function createChargeOperation(
  { body }: SimulatorRequest,
  stage: SimulatorContext,
): SimulatedOperation | Reply {
  if (!Value.Check(Charge, body))
    return buildRejection(400, 'One or more parameters in the payload is invalid.');
  return {
    operation: 'charge',
    rail: 'midtrans',
    subject: body.transaction_details.order_id,
    run: (view) => charge(body, view, stage),
    reject: () => buildRejection(402, 'Payment channel is not activated.'),
  };
}

function charge(body: Charge, view: FaultView, stage: SimulatorContext): Reply {
  const { hasQrString, isQrSpoiled } = view;
  const { order_id: orderId, gross_amount } = body.transaction_details;
  const method = findMethod(body);
  if (method === undefined) return buildRejection(400, 'The payment type is not known.');
  if (stage.store.findOrder('midtrans', orderId) !== undefined) {
    return buildRejection(
      406,
      'The request could not be completed due to a conflict: duplicate order_id.',
    );
  }
  const nowMs = stage.nowMs();
  const order = openOrder({
    ...{ rail: 'midtrans', orderId, method, nowMs, isQrSpoiled },
    amountMinor: makeMinor(BigInt(gross_amount)),
    expiresAtMs: computeExpiryMs(body, nowMs),
  });
  stage.store.put(order);
  const shown = buildTransactionBody(order, 201, 'Transaction is created');
  const url = `${stage.baseUrl}/midtrans/v2/qris/${order.id}/qr-code`;
  const qris = {
    acquirer: 'gopay',
    actions: [{ name: 'generate-qr-code', method: 'GET', url }],
    ...(hasQrString ? { qr_string: order.payBy } : {}),
  };
  return { status: 200, body: method === 'QRIS' ? { ...shown, ...qris } : shown };
}

/** `order_time` has the form `2026-12-31 23:59:59 +0700`. */
function computeExpiryMs({ custom_expiry: custom, payment_type }: Charge, nowMs: number): number {
  if (custom === undefined) {
    return nowMs + (payment_type === 'qris' ? QRIS_EXPIRES_IN_S : DAY_S) * 1000;
  }
  const { order_time: begin, expiry_duration: length, unit = 'minute' } = custom;
  const beganMs =
    begin === undefined ? nowMs : Date.parse(begin.replace(' ', 'T').replace(' ', ''));
  return beganMs + length * UNIT_S[unit] * 1000;
}

const STATUS_NAMES: Readonly<Record<SimulatedOrderStatus, readonly [name: string, code: number]>> =
  {
    pending: ['pending', 201],
    settled: ['settlement', 200],
    denied: ['deny', 202],
    reversed: ['deny', 202],
    expired: ['expire', 407],
    cancelled: ['cancel', 200],
  };

function showStatus(order: SimulatedOrder, { isLagging }: FaultView): Reply {
  const seen = isLagging ? hideLastChange(order) : order;
  return { status: 200, body: buildTransactionBody(seen, STATUS_NAMES[seen.status][1]) };
}

function buildTransactionBody(
  order: SimulatedOrder,
  code: number,
  message = 'Success, transaction is found',
) {
  const [settled] = order.payments;
  const refunded = sumRefunds(order.refunds);
  const paidMinor = settled?.amountMinor ?? order.amountMinor;
  // BNI reports the amount that was paid; the other banks report the gross amount.
  const isToldInParts = order.method === 'VA_BNI' && settled !== undefined;
  const parts = isToldInParts
    ? [{ paid_at: writeTime(settled.atMs), amount: writeAmount(paidMinor) }]
    : [];
  return {
    status_code: String(code),
    status_message: message,
    transaction_id: order.id,
    order_id: order.orderId,
    merchant_id: MERCHANT,
    gross_amount: writeAmount(isToldInParts ? order.amountMinor : paidMinor),
    currency: 'IDR',
    payment_type: findPaymentType(order.method),
    transaction_time: writeTime(order.createdAtMs),
    transaction_status: findStatusName(order),
    fraud_status: 'accept',
    expiry_time: writeTime(order.expiresAtMs),
    ...buildAccount(order),
    ...(order.method === 'QRIS' ? {} : { payment_amounts: parts }),
    ...(settled === undefined ? {} : { settlement_time: writeTime(settled.atMs) }),
    ...(refunded === 0n
      ? {}
      : { refund_amount: writeAmount(refunded), refunds: order.refunds.map(buildRefundBody) }),
  };
}

/** A chargeback changes the status also after refunds. */
function findStatusName({ status, amountMinor, refunds }: SimulatedOrder): string {
  const chargebacks = refunds.filter(({ kind }) => kind === 'chargeback');
  if (chargebacks.length > 0) {
    return sumRefunds(chargebacks) >= amountMinor ? 'chargeback' : 'partial_chargeback';
  }
  if (refunds.length === 0) return STATUS_NAMES[status][0];
  return sumRefunds(refunds) >= amountMinor ? 'refund' : 'partial_refund';
}

function findPaymentType(method: ChargeableMethod): string {
  if (method === 'QRIS') return 'qris';
  return method === 'VA_MANDIRI' ? 'echannel' : 'bank_transfer';
}

function buildAccount({ method, payBy }: SimulatedOrder): object {
  switch (method) {
    case 'QRIS':
      return {};
    case 'VA_MANDIRI':
      return { bill_key: payBy, biller_code: MANDIRI_BILLER };
    case 'VA_PERMATA':
      return { permata_va_number: payBy };
    default:
      return { va_numbers: [{ bank: method.slice(3).toLowerCase(), va_number: payBy }] };
  }
}

/** A bank's chargeback has no refund_key; the dashboard's refund has one of Midtrans. */
function buildRefundBody(made: SimulatedOrder['refunds'][number]) {
  const { id, kind, reference, amountMinor, atMs } = made;
  return {
    refund_chargeback_id: id,
    ...(kind === 'refund' ? { refund_key: reference } : {}),
    refund_amount: writeAmount(amountMinor),
    created_at: writeTime(atMs),
    refund_method: kind === 'refund' ? 'online' : 'offline',
  };
}

function close(order: SimulatedOrder, isExpiry: boolean, stage: SimulatorContext): Reply {
  const ended: SimulatedOrder | undefined = isExpiry
    ? order.status === 'pending'
      ? { ...order, status: 'expired' }
      : undefined
    : endOrder(order, 'cancelled', stage.nowMs());
  if (ended === undefined) return buildRejection(412, UNCHANGEABLE);
  stage.change(ended);
  return { status: 200, body: buildTransactionBody(ended, isExpiry ? 407 : 200) };
}

/** The same key is the same refund; with another amount it is rejected as a duplicate. */
function refund(order: SimulatedOrder, { body }: SimulatorRequest, stage: SimulatorContext): Reply {
  if (!Value.Check(Refund, body)) return buildRejection(400, 'refund_key is invalid');
  if (order.method !== 'QRIS' || order.status !== 'settled')
    return buildRejection(412, UNCHANGEABLE);
  const left = order.amountMinor - sumRefunds(order.refunds);
  const amountMinor = body.amount === undefined ? makeMinor(left) : makeMinor(BigInt(body.amount));
  const earlier = order.refunds.find(({ reference }) => reference === body.refund_key);
  if (earlier !== undefined && earlier.amountMinor !== amountMinor) {
    return buildRejection(406, 'Duplicate refund ID');
  }
  if (earlier !== undefined) return buildRefundReply(order, earlier);
  if (amountMinor > left)
    return buildRejection(414, 'Refund request is rejected due to invalid amount');
  const made = {
    ...({ id: randomUUID(), kind: 'refund', reference: body.refund_key, amountMinor } as const),
    ...({ status: 'SUCCEEDED', atMs: stage.nowMs(), isStuck: false } as const),
  };
  const refunded = { ...order, refunds: [...order.refunds, made] };
  stage.change(refunded);
  return buildRefundReply(refunded, made);
}

function buildRefundReply(order: SimulatedOrder, made: SimulatedOrder['refunds'][number]): Reply {
  const body = buildTransactionBody(order, 200, 'Success, refund request is approved');
  return { status: 200, body: { ...body, ...buildRefundBody(made) } };
}

async function showPicture({ method, payBy }: SimulatedOrder): Promise<Reply> {
  if (method !== 'QRIS') return buildRejection(404, NOT_FOUND);
  return { status: 200, type: 'image/png', body: await QRCode.toBuffer(payBy) };
}

/** Notifications report an expiry as 202, not 407. */
export function buildMidtransCallback(order: SimulatedOrder, serverKey: string): Callback {
  const [event, statusCode] = STATUS_NAMES[order.status];
  const code = statusCode === 407 ? 202 : statusCode;
  const notification = buildTransactionBody(order, code);
  const wrong = { ...notification, ...falsifyAmount(notification) };
  const signed = (key: string, body = notification) => signNotification(body, key);
  const headers = { 'user-agent': 'Veritrans' };
  return {
    ...{ rail: 'midtrans', subject: order.orderId, event },
    genuine: { headers, body: signed(serverKey) },
    wrong: { headers, body: signed(serverKey, wrong) },
    forged: { headers, body: { ...signed('not the key'), transaction_status: 'settlement' } },
  };
}

const sumRefunds = (refunds: readonly { amountMinor: AmountMinor }[]): bigint =>
  refunds.reduce((sum, { amountMinor }) => sum + amountMinor, ZERO_MINOR as bigint);

const writeAmount = (amount: bigint): string => `${formatAmount(amount)}.00`;

/** The time in Jakarta, without its offset. */
function writeTime(ms: number): string {
  const written = new Date(ms + 7 * 3_600_000).toISOString();
  return written.slice(0, 19).replace('T', ' ');
}
