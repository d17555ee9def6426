// The payments of an invoice: at most one is open at a time.
import type { InvoiceId, PaymentId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import { type Invoice, selectInvoiceColumns, type InvoiceStatus } from './invoices.js';

export interface LatestAttempt {
  readonly attempt: number;
  readonly paymentId: PaymentId;
  /** null: the payment was not created yet. */
  readonly status: string | null;
}

export interface InvoiceToPay extends Invoice {
  /** null: no payment was begun. */
  readonly latest: LatestAttempt | null;
  /** A payment is paid, even before its event has reached the invoice. */
  readonly hasPaid: boolean;
}

/** Empty: unknown id. */
export async function findInvoiceToPay(sql: Postgres, id: InvoiceId): Promise<InvoiceToPay[]> {
  return sql<InvoiceToPay[]>`
    select ${selectInvoiceColumns(sql)},
           (select json_build_object('attempt', i.attempt, 'paymentId', i.payment_id, 'status', p.status)
              from invoice_payments i left join payments p on p.id = i.payment_id
             where i.invoice_id = invoices.id order by i.attempt desc limit 1) as latest,
           exists (select from invoice_payments i join payments p on p.id = i.payment_id
                    where i.invoice_id = invoices.id and p.status in ('paid', 'refunded')) as "hasPaid"
      from invoices where id = ${id}`;
}

/** begin: send the create command, perhaps again. made: the payment exists. again: the invoice changed, read it again. */
export type BeginResult = 'begin' | 'made' | 'again' | 'missing' | 'not_live' | InvoiceStatus;

export async function beginInvoicePayment(
  sql: Postgres,
  id: InvoiceId,
  attempt: number,
  paymentId: PaymentId,
): Promise<BeginResult> {
  const rows = await sql<{ beginning: BeginResult }[]>`
    select begin_invoice_payment(${id}, ${attempt}, ${paymentId}) as beginning`;
  return rows[0]?.beginning ?? 'missing';
}
