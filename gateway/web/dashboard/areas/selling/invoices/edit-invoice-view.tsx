// Changes a draft.
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ObjectView } from '@dashboard/shared/parts/detail-view.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SELLING_TEXTS } from '../parts/texts.js';
import { InvoiceEditor } from './invoice-editor.js';
import { type InvoiceForm, readInvoiceForm, writeInvoice } from './invoice-form.js';
import { invoiceQuery } from './load-invoice.js';

export function EditInvoiceView(): ReactNode {
  const { invoices } = useTexts(SELLING_TEXTS);
  const { invoiceId } = useParams({ from: '/signed-in/invoices/$invoiceId/edit' });
  const query = useQuery(invoiceQuery(invoiceId));
  const save = (values: InvoiceForm, former: string | null) =>
    unwrap(
      api.PATCH('/v1/merchants/me/invoices/{invoice_id}', {
        params: { path: { invoice_id: invoiceId } },
        body: writeInvoice(values, former),
      }),
    );
  return (
    <Page title={invoices.edit} permission="change_invoices">
      <ObjectView query={query}>
        {(draft) => (
          <InvoiceEditor
            key={draft.id}
            initialValues={readInvoiceForm(draft)}
            draft={draft}
            save={(values) => save(values, draft.due_at)}
          />
        )}
      </ObjectView>
    </Page>
  );
}
