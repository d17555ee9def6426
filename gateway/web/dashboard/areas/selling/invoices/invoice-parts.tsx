// How an invoice is shown: its state and its items.
import { Alert, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { formatCount } from '@dashboard/shared/text/format.js';
import { useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { SELLING_TEXTS } from '../parts/texts.js';

export type Invoice = MerchantSchema['Invoice'];
interface InvoiceProps {
  readonly invoice: Invoice;
}

const TONES = { draft: 'neutral', open: 'waiting', paid: 'good', void: 'neutral' } as const;

const isPast = (at: string | null): boolean => at !== null && Date.parse(at) < Date.now();

export function InvoiceState({ invoice }: InvoiceProps): ReactNode {
  const { invoices } = useTexts(SELLING_TEXTS);
  const { status, due_at: dueAt } = invoice;
  const isOverdue = status === 'open' && isPast(dueAt);
  return (
    <StatusBadge
      status={status}
      label={isOverdue ? invoices.overdue : invoices.statuses[status]}
      tone={isOverdue ? 'bad' : TONES[status]}
    />
  );
}

/** Why a TEST invoice is not mailed. */
export function NotMailed({ invoice }: InvoiceProps): ReactNode {
  const { invoices } = useTexts(SELLING_TEXTS);
  const { mail_note: note, customer_email: email } = invoice;
  if (note === null || email === null) return null;
  return <Alert color="yellow">{invoices.notMailed(email)}</Alert>;
}

/** The items with the total that the service computed. */
export function InvoiceItems({ invoice }: InvoiceProps): ReactNode {
  const { invoices } = useTexts(SELLING_TEXTS);
  const { language } = useLanguage();
  const { items, total, currency } = invoice;
  return (
    <Table.ScrollContainer
      minWidth={300}
      scrollAreaProps={{ type: 'auto', viewportProps: { tabIndex: 0 } }}
    >
      <Table aria-label={invoices.items}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{invoices.itemName}</Table.Th>
            <Table.Th ta="right">{invoices.quantity}</Table.Th>
            <Table.Th ta="right">{invoices.unitAmount}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((item, index) => (
            <Table.Tr key={index}>
              <Table.Td>{item.description}</Table.Td>
              <Table.Td ta="right">{formatCount(item.quantity, language)}</Table.Td>
              <Table.Td ta="right">
                <Money minor={item.unit_amount} currency={currency} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr>
            <Table.Th colSpan={2}>{invoices.total}</Table.Th>
            <Table.Th ta="right">
              <Money minor={total} currency={currency} />
            </Table.Th>
          </Table.Tr>
        </Table.Tfoot>
      </Table>
    </Table.ScrollContainer>
  );
}
