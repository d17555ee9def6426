// Finalizes, mails or voids an invoice, after the person has confirmed it.
import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ConfirmDialog } from '@dashboard/shared/parts/confirm-dialog.js';
import { When } from '@dashboard/shared/parts/when.js';
import { Mailed, MailNote, sendsMail } from '@dashboard/shared/parts/mailed.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { SELLING_TEXTS } from '../parts/texts.js';
import { type Invoice, NotMailed } from './invoice-parts.js';

interface InvoiceDialogProps {
  readonly invoice: Invoice;
  readonly onClose: () => void;
}

/** null: nobody gets a mail. */
const findAddressee = ({ customer_email: email, mail_note: note }: Invoice): string | null =>
  note === null && sendsMail ? email : null;

const useStore = (): ((invoice: Invoice) => Promise<void>) => {
  const client = useQueryClient();
  return async (invoice) => {
    client.setQueryData(['invoice', invoice.id], invoice);
    await client.invalidateQueries({ queryKey: ['invoices'] });
  };
};

export function FinalizeDialog({ invoice, onClose }: InvoiceDialogProps): ReactNode {
  const { invoices } = useTexts(SELLING_TEXTS);
  const store = useStore();
  const finalize = async (): Promise<void> => {
    const params = { path: { invoice_id: invoice.id } };
    const path = '/v1/merchants/me/invoices/{invoice_id}/finalize';
    await store(await unwrap(api.POST(path, { params })));
  };
  return (
    <ConfirmDialog
      title={invoices.finalize}
      action={invoices.finalize}
      isOpen
      onClose={onClose}
      onConfirm={finalize}
    >
      <Text size="sm">{invoices.finalizeHelp(findAddressee(invoice))}</Text>
      <NotMailed invoice={invoice} />
      {invoice.customer_email !== null && <MailNote to={invoice.customer_email} />}
    </ConfirmDialog>
  );
}

export function VoidDialog({ invoice, onClose }: InvoiceDialogProps): ReactNode {
  const { invoices } = useTexts(SELLING_TEXTS);
  const store = useStore();
  const name = invoice.number ?? invoices.draft;
  const annul = async (): Promise<void> => {
    const params = { path: { invoice_id: invoice.id } };
    const path = '/v1/merchants/me/invoices/{invoice_id}/void';
    await store(await unwrap(api.POST(path, { params })));
  };
  return (
    <ConfirmDialog
      title={invoices.voidTitle(name)}
      action={invoices.void}
      isDangerous
      isOpen
      onClose={onClose}
      onConfirm={annul}
    >
      <Text size="sm">{invoices.voidHelp(name)}</Text>
    </ConfirmDialog>
  );
}

export function SendDialog({ invoice, onClose }: InvoiceDialogProps): ReactNode {
  const { invoices } = useTexts(SELLING_TEXTS);
  const { mailKept } = useTexts(SHARED_TEXTS);
  const store = useStore();
  const { number, customer_email: email, sent_at: sentAt } = invoice;
  const send = async (): Promise<void> => {
    const params = { path: { invoice_id: invoice.id } };
    const path = '/v1/merchants/me/invoices/{invoice_id}/send';
    await store(await unwrap(api.POST(path, { params })));
    const done = sendsMail ? invoices.sendDone : mailKept;
    notifications.show({ message: done(email ?? '') });
  };
  return (
    <ConfirmDialog
      title={invoices.sendTitle(number ?? '')}
      action={invoices.send}
      isOpen
      onClose={onClose}
      onConfirm={send}
    >
      <Mailed to={email ?? ''}>
        <Text size="sm">{invoices.sendHelp(email ?? '')}</Text>
      </Mailed>
      <LastMail label={invoices.sentAt} at={sentAt} />
    </ConfirmDialog>
  );
}

export function RemindDialog({ invoice, onClose }: InvoiceDialogProps): ReactNode {
  const { invoices } = useTexts(SELLING_TEXTS);
  const { mailKept } = useTexts(SHARED_TEXTS);
  const store = useStore();
  const { number, customer_email: email, reminded_at: remindedAt } = invoice;
  const remind = async (): Promise<void> => {
    const params = { path: { invoice_id: invoice.id } };
    const path = '/v1/merchants/me/invoices/{invoice_id}/remind';
    await store(await unwrap(api.POST(path, { params })));
    const done = sendsMail ? invoices.remindDone : mailKept;
    notifications.show({ message: done(email ?? '') });
  };
  return (
    <ConfirmDialog
      title={invoices.remindTitle(number ?? '')}
      action={invoices.remind}
      isOpen
      onClose={onClose}
      onConfirm={remind}
    >
      <Mailed to={email ?? ''}>
        <Text size="sm">{invoices.remindHelp(email ?? '')}</Text>
      </Mailed>
      <LastMail label={invoices.remindedAt} at={remindedAt} />
    </ConfirmDialog>
  );
}

/** Nothing for an invoice that has no such mail yet. */
function LastMail({
  label,
  at,
}: {
  readonly label: string;
  readonly at: string | null;
}): ReactNode {
  if (at === null) return null;
  return (
    <Text size="sm" c="dimmed">
      {label}: <When at={at} />
    </Text>
  );
}
