// The amounts of an invoice.
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

/** The amount to pay: above zero, and at most the largest amount of any payment method. */
export function totalOf(items: readonly InvoiceItem[]): AmountMinor | 'amount_out_of_range' {
  const total = toMinor(items.reduce((sum, item) => sum + amountOf(item), 0n));
  return isAmountWithinRange(total, null) ? total : 'amount_out_of_range';
}
