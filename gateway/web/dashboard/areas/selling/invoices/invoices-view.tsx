// The invoices of the merchant in the environment.
import { Button, Text } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, downloadCsv, type MerchantQuery } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ChoiceFilter, Filters, TextFilter } from '@dashboard/shared/lists/filters.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import { EmptyHint, ExportButton, ListView } from '@dashboard/shared/lists/list-view.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { RowLink } from '@dashboard/shared/lists/row-link.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { useCan } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SELLING_TEXTS, type SellingTexts } from '../parts/texts.js';
import { type Invoice, InvoiceState } from './invoice-parts.js';

const PATH = '/v1/merchants/me/invoices';
const STATUSES = ['draft', 'open', 'paid', 'void'] as const;

function listColumns({ invoices }: SellingTexts): readonly Column<Invoice>[] {
  return [
    { name: invoices.number, render: ({ number }) => number ?? invoices.noNumber },
    {
      name: invoices.total,
      render: ({ total, currency }) => <Money minor={total} currency={currency} />,
    },
    { name: invoices.status, render: (invoice) => <InvoiceState invoice={invoice} /> },
    {
      name: invoices.customer,
      render: (invoice) => invoice.customer_name ?? invoice.customer_email ?? '—',
    },
    { name: invoices.due, render: ({ due_at: at }) => <When at={at} /> },
    { name: invoices.created, render: ({ created_at: at }) => <When at={at} /> },
  ];
}

export function InvoicesView(): ReactNode {
  const texts = useTexts(SELLING_TEXTS);
  const { invoices } = texts;
  const environment = useEnvironment();
  const canChange = useCan()('change_invoices');
  const { cursor, status, number } = useSearch({ from: '/signed-in/invoices' });
  const navigate = useNavigate({ from: '/invoices' });
  const filter = { environment, status, number };
  const load = (from: string | undefined) => {
    const query = { ...filter, cursor: from } as MerchantQuery<typeof PATH>;
    return unwrap(api.GET(PATH, { params: { query } }));
  };
  const make = (
    <Button renderRoot={(props) => <Link to="/invoices/new" {...props} />}>{invoices.make}</Button>
  );
  return (
    <Page
      title={invoices.title}
      actions={
        <>
          <ExportButton onExport={() => downloadCsv(PATH, filter, 'invoices.csv')} />
          {canChange && make}
        </>
      }
    >
      <Text c="dimmed">{invoices.about}</Text>
      <ListView
        label={invoices.title}
        queryKey={['invoices', filter]}
        load={load}
        columns={listColumns(texts)}
        rowKey={({ id }) => id}
        rowLink={({ id }, content) => (
          <RowLink to="/invoices/$invoiceId" params={{ invoiceId: id }}>
            {content}
          </RowLink>
        )}
        filters={<InvoiceFilters />}
        isFiltered={status !== undefined || number !== undefined}
        empty={
          <EmptyHint title={invoices.none(environment)} help={invoices.noneHelp}>
            {canChange && make}
          </EmptyHint>
        }
        cursor={cursor}
        onCursor={(next) => void navigate({ search: (former) => ({ ...former, cursor: next }) })}
      />
    </Page>
  );
}

function InvoiceFilters(): ReactNode {
  const { invoices } = useTexts(SELLING_TEXTS);
  return (
    <Filters>
      <TextFilter name="number" label={invoices.number} type="search" placeholder="INV-000001" />
      <ChoiceFilter
        name="status"
        label={invoices.status}
        any={invoices.anyStatus}
        choices={STATUSES.map((value) => ({ value, label: invoices.statuses[value] }))}
      />
    </Filters>
  );
}
