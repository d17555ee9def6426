// One invoice: what the customer gets, its page, and what can be done with it.
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Facts, ObjectView, Section } from '@dashboard/shared/parts/detail-view.js';
import { Identifier } from '@dashboard/shared/parts/identifier.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SELLING_TEXTS } from '../parts/texts.js';
import { WhatsAppLink } from '../parts/whatsapp-link.js';
import { InvoiceActions } from './invoice-actions.js';
import { type Invoice, InvoiceItems, InvoiceState, NotMailed } from './invoice-parts.js';
import { InvoicePreview } from './invoice-preview.js';
import { invoiceQuery } from './load-invoice.js';

const REFRESH_MS = 5_000;
interface InvoiceProps {
  readonly invoice: Invoice;
}

export function InvoiceView(): ReactNode {
  const { invoices } = useTexts(SELLING_TEXTS);
  const { invoiceId } = useParams({ from: '/signed-in/invoices/$invoiceId' });
  const query = useQuery({
    ...invoiceQuery(invoiceId),
    refetchInterval: ({ state }) => (state.data?.status === 'open' ? REFRESH_MS : false),
  });
  const { data } = query;
  const title = data === undefined ? invoices.one : (data.number ?? invoices.draft);
  return (
    <Page title={title} actions={data !== undefined && <InvoiceActions invoice={data} />}>
      <ObjectView query={query}>
        {(invoice) => (
          <Stack gap="lg">
            <Group>
              <Text size="xl" fw={650}>
                <Money minor={invoice.total} currency={invoice.currency} />
              </Text>
              <InvoiceState invoice={invoice} />
            </Group>
            <NotMailed invoice={invoice} />
            {invoice.url !== null && <CustomerPage invoice={invoice} url={invoice.url} />}
            <Section title={invoices.items}>
              <InvoiceItems invoice={invoice} />
              {invoice.notes !== null && (
                <Text size="sm" mt="sm" style={{ whiteSpace: 'pre-line' }}>
                  {invoice.notes}
                </Text>
              )}
            </Section>
            <InvoiceFacts invoice={invoice} />
            <InvoicePreview invoice={invoice} />
          </Stack>
        )}
      </ObjectView>
    </Page>
  );
}

function CustomerPage({ invoice, url }: InvoiceProps & { readonly url: string }): ReactNode {
  const { invoices } = useTexts(SELLING_TEXTS);
  return (
    <Section
      title={invoices.page}
      actions={
        <Anchor href={url} target="_blank" rel="noreferrer">
          {invoices.open}
        </Anchor>
      }
    >
      <Identifier value={url} />
      {invoice.status === 'open' && (
        <WhatsAppLink environment={invoice.environment} name={invoice.number ?? ''} url={url} />
      )}
    </Section>
  );
}

function InvoiceFacts({ invoice }: InvoiceProps): ReactNode {
  const { invoices } = useTexts(SELLING_TEXTS);
  const { payment_id: paymentId, finalized_at: finalizedAt, paid_at: paidAt } = invoice;
  const { due_at: dueAt, voided_at: voidedAt } = invoice;
  const { sent_at: sentAt, reminded_at: remindedAt } = invoice;
  return (
    <Section title={invoices.details}>
      <Facts
        facts={[
          [invoices.customerName, invoice.customer_name],
          [invoices.customerEmail, invoice.customer_email],
          [invoices.language, invoices.languages[invoice.language]],
          [invoices.due, dueAt && <When at={dueAt} />],
          [invoices.created, <When key="created" at={invoice.created_at} />],
          [invoices.finalized, finalizedAt && <When at={finalizedAt} />],
          [invoices.sentAt, sentAt && <When at={sentAt} />],
          [invoices.remindedAt, remindedAt && <When at={remindedAt} />],
          [invoices.paidAt, paidAt && <When at={paidAt} />],
          [invoices.voided, voidedAt && <When at={voidedAt} />],
          [
            invoices.payment,
            paymentId && (
              <Anchor component={Link} to={`/payments/${paymentId}`}>
                {paymentId}
              </Anchor>
            ),
          ],
          [invoices.environment, invoice.environment],
          [invoices.id, <Identifier key="id" value={invoice.id} />],
        ]}
      />
    </Section>
  );
}
