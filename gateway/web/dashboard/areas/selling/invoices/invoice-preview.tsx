// The page of an invoice as its customer will see it, and its mails. The page is in a frame that runs no scripts, sends no
// forms and follows no links, so that what a customer or a colleague wrote cannot act here.
import { Modal, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ReturnFocus } from '@dashboard/shared/parts/confirm-dialog.js';
import { DetailView, Facts } from '@dashboard/shared/parts/detail-view.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { SELLING_TEXTS } from '../parts/texts.js';
import classes from './invoice.module.css';
import type { Invoice } from './invoice-parts.js';

const PARTS = ['page', 'mail', 'reminder'] as const;
type PartName = (typeof PARTS)[number];
type Preview = MerchantSchema['InvoicePreview'];

const isPart = (text: string | undefined): text is PartName => PARTS.some((part) => part === text);

/** It is loaded anew each time: the invoice, the brand of the merchant and the payments may have changed. */
const previewQuery = (invoiceId: string) =>
  queryOptions({
    queryKey: ['invoice-preview', invoiceId],
    queryFn: () =>
      unwrap(
        api.GET('/v1/merchants/me/invoices/{invoice_id}/preview', {
          params: { path: { invoice_id: invoiceId } },
        }),
      ),
    staleTime: 0,
    gcTime: 0,
  });

export function InvoicePreview({ invoice }: { readonly invoice: Invoice }): ReactNode {
  const { invoices } = useTexts(SELLING_TEXTS);
  const texts = useTexts(SHARED_TEXTS);
  const isPhone = useMediaQuery('(max-width: 48em)');
  const { preview } = useSearch({ from: '/signed-in/invoices/$invoiceId' });
  const navigate = useNavigate({ from: '/invoices/$invoiceId' });
  const show = (part: PartName | undefined): void => {
    void navigate({ search: (former) => ({ ...former, preview: part }), replace: true });
  };
  if (!isPart(preview)) return null;
  return (
    <Modal
      opened
      size="xl"
      fullScreen={isPhone}
      title={invoices.previewTitle(invoice.number ?? invoices.draft)}
      closeButtonProps={{ 'aria-label': texts.close }}
      onClose={() => {
        show(undefined);
      }}
    >
      <ReturnFocus />
      <Stack>
        <SegmentedControl
          aria-label={invoices.preview}
          data={PARTS.map((value) => ({ value, label: invoices.previewParts[value] }))}
          value={preview}
          onChange={(part) => {
            show(part);
          }}
        />
        <PreviewedPart id={invoice.id} part={preview} isDraft={invoice.status === 'draft'} />
      </Stack>
    </Modal>
  );
}

interface PreviewedPartProps {
  readonly id: string;
  readonly part: PartName;
  readonly isDraft: boolean;
}

function PreviewedPart({ id, part, isDraft }: PreviewedPartProps): ReactNode {
  const { invoices } = useTexts(SELLING_TEXTS);
  const query = useQuery(previewQuery(id));
  return (
    <DetailView query={query}>
      {(preview) => (
        <>
          {isDraft && (
            <Text size="sm" c="dimmed">
              {invoices.previewNumber}
            </Text>
          )}
          {part === 'page' ? (
            <iframe
              className={classes.preview}
              title={invoices.previewParts.page}
              sandbox=""
              srcDoc={preview.html}
            />
          ) : (
            <PreviewedMail mail={part === 'mail' ? preview.mail : preview.reminder} />
          )}
        </>
      )}
    </DetailView>
  );
}

function PreviewedMail({ mail }: { readonly mail: Preview['mail'] }): ReactNode {
  const { invoices } = useTexts(SELLING_TEXTS);
  if (mail === null) return <Text size="sm">{invoices.noMail}</Text>;
  return (
    <>
      <Facts
        facts={[
          [invoices.mailTo, mail.recipient],
          [invoices.mailSubject, mail.subject],
        ]}
      />
      <Text component="pre" size="sm" className={classes.mail}>
        {mail.body}
      </Text>
    </>
  );
}
