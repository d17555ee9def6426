// Refunds a payment for its merchant, also while the merchant is suspended.
import { Button, Text, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { adminApi } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { useIdempotencyKeys } from '@dashboard/shared/api/idempotency-key.js';
import { AmountInput, isWholeNumber } from '@dashboard/shared/forms/number-inputs.js';
import { ConfirmDialog } from '@dashboard/shared/parts/confirm-dialog.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { ADMIN_TEXTS } from '../parts/texts.js';
import { MONEY_TEXTS } from './texts.js';

const PATH = '/v1/admin/payments/{payment_id}/refunds';

export function RefundForMerchant({ paymentId }: { readonly paymentId: string }): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        variant="default"
        onClick={() => {
          setIsOpen(true);
        }}
      >
        {texts.refundIt}
      </Button>
      {isOpen && (
        <RefundDialog
          paymentId={paymentId}
          onClose={() => {
            setIsOpen(false);
          }}
        />
      )}
    </>
  );
}

interface RefundDialogProps {
  readonly paymentId: string;
  readonly onClose: () => void;
}

function RefundDialog({ paymentId, onClose }: RefundDialogProps): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const shared = useTexts(ADMIN_TEXTS);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const findKey = useIdempotencyKeys();
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const refund = async (): Promise<void> => {
    const body = {
      ...(amount === '' ? {} : { amount }),
      reason: reason.trim(),
    };
    const header = { 'Idempotency-Key': findKey(body) };
    const params = { path: { payment_id: paymentId }, header };
    const { id } = await unwrap(adminApi.POST(PATH, { params, body }));
    await queries.invalidateQueries({ queryKey: ['admin'] });
    await navigate({ to: '/admin/refunds/$refundId', params: { refundId: id } });
  };
  return (
    <ConfirmDialog
      title={texts.refundTitle}
      action={texts.refundIt}
      isDangerous
      isReady={isWholeNumber(amount)}
      isOpen
      onClose={onClose}
      onConfirm={refund}
    >
      <Text size="sm">{texts.refundHelp}</Text>
      <AmountInput
        label={shared.amount}
        description={texts.amountHelp}
        value={amount}
        onChange={setAmount}
      />
      <Textarea
        label={texts.why}
        required
        value={reason}
        onChange={(event) => {
          setReason(event.currentTarget.value);
        }}
      />
    </ConfirmDialog>
  );
}
