// Midtrans' Core API as its callers see it (RAILS, section 1): charge, status, cancel, expire, refund, the picture
// of a code, and notifications. Almost every reply has HTTP status 200; the body's `status_code` says what it is.
import { createHash, randomUUID } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import QRCode from 'qrcode';
import { type AmountMinor, formatAmount, toMinor, ZERO_MINOR } from '#actors/core/money.js';
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import type { Order, OrderStatus } from './orders-store.js';
import type { Callback } from './callbacks.js';
import { withWrongAmount } from './faults.js';
import { type Ask, hasCredential, type Operation, type Reply, type View } from './http.js';
import { endOrder, openOrder, orderAt } from './orders.js';
import type { Stage } from './stage.js';

const MERCHANT = 'G000000001';
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

function methodOf({ payment_type: type, bank_transfer, echannel }: Charge) {
  if (type === 'qris') return 'QRIS';
  if (type === 'echannel' && echannel !== undefined) return 'VA_MANDIRI';
  return type === 'bank_transfer' ? BANKS[bank_transfer?.bank ?? ''] : undefined;
}

/** A reply without a transaction: everything that went wrong. */
function refusal(code: number, message: string): Reply {
  const body = { status_code: String(code), status_message: message, id: randomUUID() };
  return { status: code === 401 ? 401 : 200, body };
}

const NOT_FOUND = "Transaction doesn't exist.";
const UNCHANGEABLE = 'Merchant cannot modify the status of the transaction';

export function routeMidtrans(ask: Ask, stage: Stage): Operation | Reply {
  if (!hasCredential(ask, stage.settings.midtransServerKey)) {
    return refusal(401, 'Transaction cannot be authorized with the current client/server key.');
  }
  const [version, first = '', second, third] = ask.path;
  if (version !== 'v2') return refusal(404, 'The requested resource is not found');
  if (ask.method === 'POST' && first === 'charge') return chargeOperation(ask, stage);
  const isPicture = first === 'qris' && third === 'qr-code';
  const order = stage.books.findOrder('midtrans', isPicture ? (second ?? '') : first);
  const known = order === undefined ? undefined : orderAt(order, stage.nowMs());
  const named = { rail: 'midtrans', subject: known?.orderId ?? first } as const;
  const respond = (run: (it: Order, view: View) => Reply | Promise<Reply>) => ({
    ...named,
    run: (view: View) => (known === undefined ? refusal(404, NOT_FOUND) : run(known, view)),
    refuse: () => refusal(412, UNCHANGEABLE),
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
      return refusal(404, 'The requested resource is not found');
  }
}

function chargeOperation({ body }: Ask, stage: Stage): Operation | Reply {
  if (!Value.Check(Charge, body))
    return refusal(400, 'One or more parameters in the payload is invalid.');
  return {
    operation: 'charge',
    rail: 'midtrans',
    subject: body.transaction_details.order_id,
    run: (view) => charge(body, view, stage),
    refuse: () => refusal(402, 'Payment channel is not activated.'),
  };
}

function charge(body: Charge, { hasQrString }: View, stage: Stage): Reply {
  const { order_id: orderId, gross_amount } = body.transaction_details;
  const method = methodOf(body);
  if (method === undefined) return refusal(400, 'The payment type is not known.');
  if (stage.books.findOrder('midtrans', orderId) !== undefined) {
    return refusal(
      406,
      'The request could not be completed due to a conflict: duplicate order_id.',
    );
  }
  const nowMs = stage.nowMs();
  const order = openOrder({
    ...{ rail: 'midtrans', orderId, method, nowMs },
    amountMinor: toMinor(BigInt(gross_amount)),
    expiresAtMs: expiryOf(body, nowMs),
  });
  stage.books.put(order);
  const shown = transactionBody(order, 201, 'Transaction is created');
  const url = `${stage.baseUrl}/midtrans/v2/qris/${order.id}/qr-code`;
  const qris = {
    acquirer: 'gopay',
    actions: [{ name: 'generate-qr-code', method: 'GET', url }],
    ...(hasQrString ? { qr_string: order.payBy } : {}),
  };
  return { status: 200, body: method === 'QRIS' ? { ...shown, ...qris } : shown };
}

/** `order_time` is written like `2026-12-31 23:59:59 +0700`. */
function expiryOf({ custom_expiry: custom, payment_type }: Charge, nowMs: number): number {
  if (custom === undefined) {
    return nowMs + (payment_type === 'qris' ? QRIS_EXPIRES_IN_S : DAY_S) * 1000;
  }
  const { order_time: begin, expiry_duration: length, unit = 'minute' } = custom;
  const beganMs =
    begin === undefined ? nowMs : Date.parse(begin.replace(' ', 'T').replace(' ', ''));
  return beganMs + length * UNIT_S[unit] * 1000;
}

const STATUS_NAMES: Readonly<Record<OrderStatus, readonly [name: string, code: number]>> = {
  pending: ['pending', 201],
  settled: ['settlement', 200],
  denied: ['deny', 202],
  reversed: ['deny', 202],
  expired: ['expire', 407],
  cancelled: ['cancel', 200],
};

function showStatus(order: Order, { isLagging }: View): Reply {
  const seen: Order = isLagging ? { ...order, status: 'pending', payments: [] } : order;
  return { status: 200, body: transactionBody(seen, STATUS_NAMES[seen.status][1]) };
}

function transactionBody(order: Order, code: number, message = 'Success, transaction is found') {
  const [settled] = order.payments;
  const refunded = sumOf(order.refunds);
  const isWhole = refunded >= order.amountMinor;
  const name = STATUS_NAMES[order.status][0];
  const paidMinor = settled?.amountMinor ?? order.amountMinor;
  // BNI tells what was paid; of other banks the gross amount does.
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
    payment_type: paymentType(order.method),
    transaction_time: writeTime(order.createdAtMs),
    transaction_status: refunded === 0n ? name : isWhole ? 'refund' : 'partial_refund',
    fraud_status: 'accept',
    expiry_time: writeTime(order.expiresAtMs),
    ...accountOf(order),
    ...(order.method === 'QRIS' ? {} : { payment_amounts: parts }),
    ...(settled === undefined ? {} : { settlement_time: writeTime(settled.atMs) }),
    ...(refunded === 0n
      ? {}
      : { refund_amount: writeAmount(refunded), refunds: order.refunds.map(refundBody) }),
  };
}

function paymentType(method: ChargeableMethod): string {
  if (method === 'QRIS') return 'qris';
  return method === 'VA_MANDIRI' ? 'echannel' : 'bank_transfer';
}

function accountOf({ method, payBy }: Order): object {
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

function refundBody({ id, reference, amountMinor, atMs }: Order['refunds'][number]) {
  return {
    refund_chargeback_id: id,
    refund_key: reference,
    refund_amount: writeAmount(amountMinor),
    created_at: writeTime(atMs),
    refund_method: 'online',
  };
}

function close(order: Order, isExpiry: boolean, stage: Stage): Reply {
  const ended: Order | undefined = isExpiry
    ? order.status === 'pending'
      ? { ...order, status: 'expired' }
      : undefined
    : endOrder(order, 'cancelled', stage.nowMs());
  if (ended === undefined) return refusal(412, UNCHANGEABLE);
  stage.change(ended);
  return { status: 200, body: transactionBody(ended, isExpiry ? 407 : 200) };
}

/** The same key again is the same refund; with another amount it is a duplicate. */
function refund(order: Order, { body }: Ask, stage: Stage): Reply {
  if (!Value.Check(Refund, body)) return refusal(400, 'refund_key is invalid');
  if (order.method !== 'QRIS' || order.status !== 'settled') return refusal(412, UNCHANGEABLE);
  const left = order.amountMinor - sumOf(order.refunds);
  const amountMinor = body.amount === undefined ? toMinor(left) : toMinor(BigInt(body.amount));
  const earlier = order.refunds.find(({ reference }) => reference === body.refund_key);
  if (earlier !== undefined && earlier.amountMinor !== amountMinor) {
    return refusal(406, 'Duplicate refund ID');
  }
  if (earlier !== undefined) return refundReply(order, earlier);
  if (amountMinor > left) return refusal(414, 'Refund request is rejected due to invalid amount');
  const made = {
    ...{ id: randomUUID(), reference: body.refund_key, amountMinor },
    ...({ status: 'SUCCEEDED', atMs: stage.nowMs() } as const),
  };
  const refunded = { ...order, refunds: [...order.refunds, made] };
  stage.change(refunded);
  return refundReply(refunded, made);
}

function refundReply(order: Order, made: Order['refunds'][number]): Reply {
  const body = transactionBody(order, 200, 'Success, refund request is approved');
  return { status: 200, body: { ...body, ...refundBody(made) } };
}

async function showPicture({ method, payBy }: Order): Promise<Reply> {
  if (method !== 'QRIS') return refusal(404, NOT_FOUND);
  return { status: 200, type: 'image/png', body: await QRCode.toBuffer(payBy) };
}

/** Notifications call an expiry 202, not 407. */
export function midtransCallback(order: Order, serverKey: string): Callback {
  const [event, statusCode] = STATUS_NAMES[order.status];
  const code = statusCode === 407 ? 202 : statusCode;
  const told = transactionBody(order, code);
  const wrong = { ...told, ...withWrongAmount(told) };
  const signed = (key: string, body = told) => {
    const { order_id, status_code, gross_amount } = body;
    const signature_key = createHash('sha512')
      .update(order_id + status_code + gross_amount + key)
      .digest('hex');
    return { ...body, status_message: 'midtrans payment notification', signature_key };
  };
  const headers = { 'user-agent': 'Veritrans' };
  return {
    ...{ rail: 'midtrans', subject: order.orderId, event },
    genuine: { headers, body: signed(serverKey) },
    wrong: { headers, body: signed(serverKey, wrong) },
    forged: { headers, body: { ...signed('not the key'), transaction_status: 'settlement' } },
  };
}

const sumOf = (refunds: readonly { amountMinor: AmountMinor }[]): bigint =>
  refunds.reduce((sum, { amountMinor }) => sum + amountMinor, ZERO_MINOR as bigint);

const writeAmount = (amount: bigint): string => `${formatAmount(amount)}.00`;

/** The time in Jakarta, without saying so. */
function writeTime(ms: number): string {
  const written = new Date(ms + 7 * 3_600_000).toISOString();
  return written.slice(0, 19).replace('T', ' ');
}
