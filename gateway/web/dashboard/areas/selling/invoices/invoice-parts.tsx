// How an invoice is shown: its state and its items.
import { Alert, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import { type Column, ListTable } from '@dashboard/shared/lists/list-table.js';
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
  const columns: readonly Column<Invoice['items'][number]>[] = [
    { name: invoices.itemName, onPhone: 'title', render: ({ description }) => description },
    {
      name: invoices.quantity,
      isNumber: true,
      render: ({ quantity }) => formatCount(quantity, language),
    },
    {
      name: invoices.unitAmount,
      isNumber: true,
      onPhone: 'detail',
      render: ({ quantity, unit_amount: unit }) => (
        <>
          <Text span inherit hiddenFrom="sm">
            {formatCount(quantity, language)} ×{' '}
          </Text>
          <Money minor={unit} currency={currency} />
        </>
      ),
    },
    {
      name: invoices.itemAmount,
      isNumber: true,
      onPhone: 'status',
      render: ({ quantity, unit_amount: unit }) => (
        <Money minor={String(BigInt(unit) * BigInt(quantity))} currency={currency} />
      ),
    },
  ];
  return (
    <>
      <ListTable
        label={invoices.items}
        rows={items}
        columns={columns}
        rowKey={(item) => String(items.indexOf(item))}
      />
      <Group justify="space-between" px="sm" pt="sm" fw={650} data-total>
        <span>{invoices.total}</span>
        <Money minor={total} currency={currency} />
      </Group>
    </>
  );
}
