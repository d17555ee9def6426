// The actions that the state of an invoice allows. The preview has a place in the address, so that the editor can lead to it.
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useCan } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SELLING_TEXTS } from '../parts/texts.js';
import { FinalizeDialog, RemindDialog, SendDialog, VoidDialog } from './invoice-dialogs.js';
import type { Invoice } from './invoice-parts.js';

const DIALOGS = {
  finalize: FinalizeDialog,
  void: VoidDialog,
  send: SendDialog,
  remind: RemindDialog,
} as const;
type DialogName = keyof typeof DIALOGS;

export function InvoiceActions({ invoice }: { readonly invoice: Invoice }): ReactNode {
  const { invoices } = useTexts(SELLING_TEXTS);
  const canChange = useCan()('change_invoices');
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const { id, status, customer_email: email, mail_note: note } = invoice;
  const Dialog = dialog === null ? null : DIALOGS[dialog];
  const isDraft = status === 'draft';
  const isMailed = status === 'open' && email !== null && note === null;
  const buildButton = (name: DialogName, isMain = false): ReactNode => (
    <Button
      variant={isMain ? 'filled' : 'default'}
      onClick={() => {
        setDialog(name);
      }}
    >
      {invoices[name]}
    </Button>
  );
  return (
    <>
      {canChange && (isDraft || status === 'open') && buildButton('void')}
      {canChange && isDraft && (
        <Button
          variant="default"
          renderRoot={(props) => (
            <Link to="/invoices/$invoiceId/edit" params={{ invoiceId: id }} {...props} />
          )}
        >
          {invoices.edit}
        </Button>
      )}
      <Button
        variant="default"
        renderRoot={(props) => (
          <Link
            to="/invoices/$invoiceId"
            params={{ invoiceId: id }}
            search={{ preview: 'page' }}
            {...props}
          />
        )}
      >
        {invoices.preview}
      </Button>
      {canChange && isMailed && buildButton('send')}
      {canChange && isMailed && buildButton('remind', true)}
      {canChange && isDraft && buildButton('finalize', true)}
      {Dialog !== null && (
        <Dialog
          invoice={invoice}
          onClose={() => {
            setDialog(null);
          }}
        />
      )}
    </>
  );
}
