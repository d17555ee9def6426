// The form of an invoice, and the request of the API that it becomes.
import { readText } from '@dashboard/shared/forms/optional-text.js';
import { readDayEnd, writeDay } from '@dashboard/shared/text/days.js';
import type { Invoice } from './invoice-parts.js';

export interface ItemForm {
  readonly description: string;
  readonly quantity: string;
  readonly unit_amount: string;
}

export interface InvoiceForm {
  readonly customer_name: string;
  readonly customer_email: string;
  readonly language: 'id' | 'en';
  readonly due_at: string;
  readonly notes: string;
  readonly items: ItemForm[];
}

export const EMPTY_ITEM: ItemForm = { description: '', quantity: '1', unit_amount: '' };

export const buildEmptyForm = (language: 'id' | 'en'): InvoiceForm => ({
  ...{ customer_name: '', customer_email: '', language, due_at: '', notes: '' },
  items: [EMPTY_ITEM],
});

export const readInvoiceForm = (invoice: Invoice): InvoiceForm => ({
  customer_name: invoice.customer_name ?? '',
  customer_email: invoice.customer_email ?? '',
  language: invoice.language,
  due_at: writeDay(invoice.due_at),
  notes: invoice.notes ?? '',
  items: invoice.items.map(({ description, quantity, unit_amount }) => ({
    ...{ description, quantity: String(quantity), unit_amount },
  })),
});

/** null clears a field. `former` is the due time so far. Nothing is corrected here: the API says what is wrong with a field. */
export const writeInvoice = (form: InvoiceForm, former: string | null) => ({
  customer_name: readText(form.customer_name),
  customer_email: readText(form.customer_email),
  language: form.language,
  due_at: readDayEnd(form.due_at, former),
  notes: readText(form.notes),
  items: form.items.map((item) => ({ ...item, quantity: Number(item.quantity) })),
});
