// Refunds a payment, whole or in part. Pressing twice refunds once.
import { formatMoney } from '@core/money.js';
import { Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { useIdempotencyKeys } from '@dashboard/shared/api/idempotency-key.js';
import { AmountInput, isWholeNumber } from '@dashboard/shared/forms/number-inputs.js';
import { ConfirmDialog } from '@dashboard/shared/parts/confirm-dialog.js';
import { useStepUp } from '@dashboard/shared/second-factor/step-up.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MONEY_TEXTS } from '../parts/texts.js';
import type { Payment } from './payment-columns.js';

interface RefundDialogProps {
  readonly payment: Payment;
  readonly onClose: () => void;
}

export function RefundDialog({ payment, onClose }: RefundDialogProps): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const stepUp = useStepUp();
  const queryClient = useQueryClient();
  const findKey = useIdempotencyKeys();
  const [amount, setAmount] = useState(payment.refundable_amount);
  const [reason, setReason] = useState('');
  const { id, environment, currency } = payment;
  const send = async (): Promise<void> => {
    const body = {
      payment_id: id,
      amount,
      ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    };
    const params = { query: { environment }, header: { 'Idempotency-Key': findKey(body) } };
    await stepUp((code) =>
      unwrap(
        api.POST('/v1/merchants/me/refunds', {
          params,
          body: code === undefined ? body : { ...body, totp_code: code },
        }),
      ),
    );
    notifications.show({ message: texts.refundDone });
    await queryClient.invalidateQueries();
  };
  return (
    <ConfirmDialog
      title={texts.refundTitle}
      action={
        amount === '' || !isWholeNumber(amount)
          ? texts.refundAction
          : `${texts.refundAction} ${formatMoney(amount, currency)}`
      }
      isDangerous
      isReady={isWholeNumber(amount)}
      isOpen
      onClose={onClose}
      onConfirm={send}
    >
      <Text size="sm">{texts.refundHelp(formatMoney(payment.refundable_amount, currency))}</Text>
      <AmountInput label={texts.amount} currency={currency} value={amount} onChange={setAmount} />
      <TextInput
        label={texts.refundReason}
        value={reason}
        onChange={(event) => {
          setReason(event.currentTarget.value);
        }}
      />
    </ConfirmDialog>
  );
}
