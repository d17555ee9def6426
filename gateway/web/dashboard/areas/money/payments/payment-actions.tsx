// The actions on a payment that the role may take: refund it, or cancel it while it waits.
import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ConfirmDialog } from '@dashboard/shared/parts/confirm-dialog.js';
import { useCan } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MONEY_TEXTS } from '../parts/texts.js';
import type { Payment } from './payment-columns.js';
import { RefundDialog } from './refund-dialog.js';

export function PaymentActions({ payment }: { readonly payment: Payment }): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const can = useCan();
  const queryClient = useQueryClient();
  const [open, setOpen] = useState<'refund' | 'cancel' | null>(null);
  const close = (): void => {
    setOpen(null);
  };
  const { id, environment, status } = payment;
  const cancel = async (): Promise<void> => {
    const params = { path: { payment_id: id }, query: { environment } };
    await unwrap(api.POST('/v1/merchants/me/payments/{payment_id}/cancel', { params }));
    notifications.show({ message: texts.cancelDone });
    await queryClient.invalidateQueries();
  };
  if (!can('change_payments')) return null;
  return (
    <>
      {status === 'paid' && payment.refundable_amount !== '0' && (
        <Button
          variant="default"
          onClick={() => {
            setOpen('refund');
          }}
        >
          {texts.refundAction}
        </Button>
      )}
      {status === 'pending' && (
        <Button
          variant="default"
          onClick={() => {
            setOpen('cancel');
          }}
        >
          {texts.cancelAction}
        </Button>
      )}
      {open === 'refund' && <RefundDialog payment={payment} onClose={close} />}
      <ConfirmDialog
        title={texts.cancelTitle}
        action={texts.cancelAction}
        isDangerous
        isOpen={open === 'cancel'}
        onClose={close}
        onConfirm={cancel}
      >
        <Text>{texts.cancelHelp}</Text>
      </ConfirmDialog>
    </>
  );
}
