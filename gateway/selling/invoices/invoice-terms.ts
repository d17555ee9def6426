// Parses the terms of an invoice: amounts in minor units, and their total.
import { computeTotal } from '#actors/core/invoice.js';
import { formatAmount, isCurrency } from '#actors/core/money.js';
import { describeAmountRange } from '#actors/core/payment-methods.js';
import { EMAIL_REQUIREMENT } from '#actors/core/schemas/fields.js';
import { findEmailError } from '#actors/core/requests/validation.js';
import type { InvoiceTerms, StoredItem } from '#store/postgres/links-and-invoices/invoices.js';
import { buildParameterError } from '#gateway/lists/page.js';
import { parseTime } from '#gateway/lists/filters.js';
import { type ApiError, buildApiError } from '#gateway/routing/response.js';
import type { ChangeInvoiceRequest, CreateInvoiceRequest } from './schema.js';

const DEFAULTS = {
  customerName: null,
  customerEmail: null,
  language: 'id',
  notes: null,
  currency: 'IDR',
  dueAt: null,
} as const;

export function readTerms(body: CreateInvoiceRequest): InvoiceTerms | ApiError {
  const bill = readItems(body.items);
  if ('code' in bill) return bill;
  const change = readChange(body);
  return 'code' in change ? change : { ...DEFAULTS, ...change, ...bill };
}

/** Absent fields stay, null clears a field. */
export function readChange(body: ChangeInvoiceRequest): Partial<InvoiceTerms> | ApiError {
  const { items, currency, language, notes } = body;
  const { customer_name: customerName, customer_email: customerEmail } = body;
  const bill = items === undefined ? undefined : readItems(items);
  if (bill !== undefined && 'code' in bill) return bill;
  const dueAt = readDueDate(body.due_at);
  if (dueAt !== undefined && dueAt !== null && 'code' in dueAt) return dueAt;
  if (currency !== undefined && !isCurrency(currency)) {
    return buildApiError('currency_unsupported', { param: 'currency' });
  }
  const fault = typeof customerEmail === 'string' ? findEmailError(customerEmail) : null;
  if (fault === 'card_data_refused') return buildApiError(fault, { param: 'customer_email' });
  if (fault !== null) {
    return buildParameterError('customer_email', EMAIL_REQUIREMENT);
  }
  return {
    ...bill,
    ...(currency === undefined ? {} : { currency }),
    ...(language === undefined ? {} : { language }),
    ...(notes === undefined ? {} : { notes }),
    ...(customerName === undefined ? {} : { customerName }),
    ...(customerEmail === undefined ? {} : { customerEmail }),
    ...(dueAt === undefined ? {} : { dueAt }),
  };
}

/** Drops leading zeros and computes the total. */
function readItems(
  items: CreateInvoiceRequest['items'],
): Pick<InvoiceTerms, 'items' | 'total'> | ApiError {
  const rows = items.map(({ description, quantity, unit_amount: unit }) => ({
    description,
    quantity,
    unitAmountMinor: BigInt(unit),
  }));
  const total = computeTotal(rows);
  if (typeof total === 'string') {
    const message = `items must add up to a total ${describeAmountRange(null)}.`;
    return buildApiError(total, { message, param: 'items' });
  }
  const stored = rows.map(({ description, quantity, unitAmountMinor }): StoredItem => ({
    description,
    quantity,
    unit_amount: formatAmount(unitAmountMinor),
  }));
  return { items: stored, total: formatAmount(total) };
}

function readDueDate(text: string | null | undefined): Date | null | undefined | ApiError {
  if (text === undefined || text === null) return text;
  const ms = parseTime(text);
  return ms === undefined
    ? buildParameterError('due_at', 'must be a time such as 2027-08-02T10:15:30Z')
    : new Date(ms);
}
