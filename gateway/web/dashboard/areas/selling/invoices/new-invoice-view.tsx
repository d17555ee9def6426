// Drafts an invoice.
import type { ReactNode } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { SELLING_TEXTS } from '../parts/texts.js';
import { InvoiceEditor } from './invoice-editor.js';
import { buildEmptyForm, type InvoiceForm, writeInvoice } from './invoice-form.js';

export function NewInvoiceView(): ReactNode {
  const { invoices } = useTexts(SELLING_TEXTS);
  const environment = useEnvironment();
  const { language } = useLanguage();
  const save = (values: InvoiceForm) =>
    unwrap(
      api.POST('/v1/merchants/me/invoices', {
        body: { ...writeInvoice(values, null), environment },
      }),
    );
  return (
    <Page title={invoices.makeIn(environment)} permission="change_invoices">
      <InvoiceEditor initialValues={buildEmptyForm(language)} draft={null} save={save} />
    </Page>
  );
}
