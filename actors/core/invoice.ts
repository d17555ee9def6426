// What an invoice comes to.
import { type AmountMinor, toMinor } from './money.js';
import { isAmountWithinRange } from './payment-methods.js';

export interface InvoiceItem {
  readonly description: string;
  readonly quantity: number;
  readonly unitAmountMinor: bigint;
}

export function amountOf({ quantity, unitAmountMinor }: Omit<InvoiceItem, 'description'>): bigint {
  return BigInt(quantity) * unitAmountMinor;
}

/** What has to be paid; no method takes nothing, nor more than the largest amount. */
export function totalOf(items: readonly InvoiceItem[]): AmountMinor | 'amount_out_of_range' {
  const total = toMinor(items.reduce((sum, item) => sum + amountOf(item), 0n));
  return isAmountWithinRange(total, null) ? total : 'amount_out_of_range';
}
