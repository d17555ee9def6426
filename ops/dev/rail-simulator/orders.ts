// The effects of customers and banks on an order; the formats of the rails are in their own files. The QR codes and
// account numbers name an issuer that does not exist, so nobody can really pay them.
import { createHash, randomUUID } from 'node:crypto';
import { type AmountMinor, formatAmount } from '#actors/core/money.js';
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import { encodeEmv } from '#actors/core/rails/emv-qr.js';
import type { SimulatedOrder, SimulatedRail } from './orders-store.js';

export interface NewOrder {
  readonly rail: SimulatedRail;
  readonly orderId: string;
  readonly method: ChargeableMethod;
  readonly amountMinor: AmountMinor;
  readonly nowMs: number;
  readonly expiresAtMs: number;
  readonly isQrSpoiled?: boolean;
}

export function openOrder({ isQrSpoiled = false, ...asked }: NewOrder): SimulatedOrder {
  const uuid = randomUUID();
  const { nowMs: createdAtMs, ...order } = asked;
  const payload = buildQrPayload(asked);
  return {
    kind: 'order',
    ...order,
    id: asked.rail === 'xendit' ? `pr-${uuid}` : uuid,
    payBy:
      asked.method === 'QRIS'
        ? isQrSpoiled
          ? spoilChecksum(payload)
          : payload
        : buildAccountNumber(asked),
    status: 'pending',
    createdAtMs,
    payments: [],
    refunds: [],
  };
}

const spoilChecksum = (payload: string): string =>
  payload.slice(0, -1) + (payload.endsWith('0') ? '1' : '0');

const ISSUER = 'ID.CO.EXAMPLE.WWW';
/** Letters beyond ASCII: the checksum is over bytes. */
const MERCHANT_NAME = 'KAFÉ D’SIMULASI';
const BILL_LENGTH = 25;

function buildQrPayload({ orderId, amountMinor }: NewOrder): string {
  const issuer = [
    ['00', ISSUER],
    ['01', '936000001234567890'],
    ['02', '1234567890'],
    ['03', 'UMI'],
  ] as const;
  const national = [
    ['00', 'ID.CO.QRIS.WWW'],
    ['02', 'ID1020000000001'],
    ['03', 'UMI'],
  ] as const;
  const bill = [
    ['01', orderId.replaceAll('-', '').slice(0, BILL_LENGTH)],
    ['07', 'A01'],
  ] as const;
  return encodeEmv([
    ['00', '01'],
    ['01', '12'],
    ['26', issuer],
    ['51', national],
    ['52', '5999'],
    ['53', '360'],
    ['54', formatAmount(amountMinor)],
    ['58', 'ID'],
    ['59', MERCHANT_NAME],
    ['60', 'JAKARTA'],
    ['61', '10110'],
    ['62', bill],
  ]);
}

/** 16 digits derived from the order. */
function buildAccountNumber({ rail, orderId }: NewOrder): string {
  const hex = createHash('sha256').update(`${rail} ${orderId}`).digest('hex').slice(0, 12);
  return `8${BigInt(`0x${hex}`).toString().padStart(15, '0').slice(0, 15)}`;
}

/** The current state: an order that was not paid in time is expired. */
export function advanceOrder(order: SimulatedOrder, nowMs: number): SimulatedOrder {
  const isOver = order.status === 'pending' && nowMs >= order.expiresAtMs;
  return isOver ? { ...order, status: 'expired' } : order;
}

export interface Payment {
  readonly nowMs: number;
  /** Default: the requested amount. */
  readonly amountMinor?: AmountMinor;
  /** Pays an order that has ended or is already paid: late and double payments. */
  readonly isForced: boolean;
}

/**
 * Pays an order like a customer; undefined: it cannot be paid (any more). Xendit keeps an expired order and books a late
 * payment as another one; Midtrans has one payment per transaction.
 */
export function payOrder(
  order: SimulatedOrder,
  { nowMs, amountMinor, isForced }: Payment,
): SimulatedOrder | undefined {
  const { rail, status } = advanceOrder(order, nowMs);
  if (status !== 'pending' && !isForced) return undefined;
  if (rail === 'midtrans' && order.payments.length > 0) return undefined;
  const paid = {
    id: rail === 'xendit' ? `py-${randomUUID()}` : order.id,
    amountMinor: amountMinor ?? order.amountMinor,
    atMs: nowMs,
  };
  const becomes = status === 'pending' || rail === 'midtrans' ? 'settled' : status;
  return { ...order, status: becomes, payments: [...order.payments, paid] };
}

/** Ends an order: cancelled by the merchant, declined by the bank, or reversed. */
export function endOrder(
  order: SimulatedOrder,
  how: 'cancelled' | 'denied' | 'reversed',
  nowMs: number,
) {
  const { status } = advanceOrder(order, nowMs);
  const from = how === 'reversed' ? 'settled' : 'pending';
  return status === from ? { ...order, status: how } : undefined;
}

/** Hides the last refund or chargeback, or else the payment. */
export function hideLastChange(order: SimulatedOrder): SimulatedOrder {
  const { refunds } = order;
  if (refunds.length > 0) return { ...order, refunds: refunds.slice(0, -1) };
  return { ...order, status: 'pending', payments: [] };
}
