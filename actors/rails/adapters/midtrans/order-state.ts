// Reads the state of an order at Midtrans. A settlement counts only with code 200 and an accepted fraud check. Refunds and
// disputes come after the money, so the order stays settled; refunds.ts reads them.
import type { OrderId } from '#actors/core/ids.js';
import type { Settlement } from '#actors/core/rails/answers.js';
import type { InquiryAnswer } from '../rail.js';
import { readGivenBack } from './refunds.js';
import {
  readCurrency,
  readJakartaTime,
  readPaidAmount,
  type Reply,
  readStatus,
  type Transaction,
} from './wire.js';

const SETTLED: ReadonlySet<string> = new Set([
  'settlement',
  'capture',
  'refund',
  'partial_refund',
  'chargeback',
  'partial_chargeback',
]);
const SUCCESS_CODE = 200;

/** `pending`: the customer can pay it; charge.ts reads the payment instructions. */
export type OrderState =
  Exclude<InquiryAnswer, { result: 'open' }> | { readonly result: 'pending' };

const UNKNOWN = { result: 'unknown' } as const;

export function readOrderState(
  { code }: Reply,
  transaction: Transaction,
  order: { readonly orderId: OrderId; readonly bookedTransactionId: string | null },
): OrderState {
  const status = readStatus(transaction);
  if (SETTLED.has(status)) {
    if (code !== SUCCESS_CODE || transaction.fraud_status !== 'accept') return UNKNOWN;
    return readSettlement(transaction, order.orderId);
  }
  switch (status) {
    case 'pending':
      return { result: 'pending' };
    case 'deny':
      return readDenied(transaction, order.bookedTransactionId);
    case 'failure':
      return { result: 'failed', failureCode: 'processing_failed' };
    case 'expire':
      return { result: 'failed', failureCode: 'expired' };
    case 'cancel':
      return { result: 'closed' };
    default:
      return UNKNOWN;
  }
}

/** Permata and Mandiri reverse a settlement by denying it within minutes. */
function readDenied(transaction: Transaction, bookedTransactionId: string | null): OrderState {
  const { transaction_id: id, settlement_time: settledAt } = transaction;
  return id === bookedTransactionId || typeof settledAt === 'string'
    ? { result: 'reversed', railTransactionId: id }
    : { result: 'failed', failureCode: 'declined' };
}

/** A transaction settles once, so its id is the settlement's id. */
function readSettlement(transaction: Transaction, orderId: OrderId): OrderState {
  const amountMinor = readPaidAmount(transaction);
  if (amountMinor === null) return UNKNOWN;
  const settlement: Settlement = {
    rail: 'midtrans',
    railTransactionId: transaction.transaction_id,
    orderId,
    amountMinor,
    currency: readCurrency(transaction),
    settledAtMs: readJakartaTime(transaction.settlement_time),
  };
  return { result: 'settled', settlement, givenBack: readGivenBack(transaction) };
}
