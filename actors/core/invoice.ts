// The amounts of an invoice.
import { type AmountMinor, makeMinor } from './money.js';
import { isAmountWithinRange } from './payment-methods.js';

export interface InvoiceItem {
  readonly description: string;
  readonly quantity: number;
  readonly unitAmountMinor: bigint;
}

export function computeItemAmount({
  quantity,
  unitAmountMinor,
}: Omit<InvoiceItem, 'description'>): bigint {
  return BigInt(quantity) * unitAmountMinor;
}

/** The amount to pay: above zero, and at most the largest amount of any payment method. */
export function computeTotal(items: readonly InvoiceItem[]): AmountMinor | 'amount_out_of_range' {
  const total = makeMinor(items.reduce((sum, item) => sum + computeItemAmount(item), 0n));
  return isAmountWithinRange(total, null) ? total : 'amount_out_of_range';
}
