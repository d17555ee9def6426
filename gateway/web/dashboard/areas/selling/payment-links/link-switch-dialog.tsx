// Switches a payment link on or off, after the person has confirmed it.
import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ConfirmDialog } from '@dashboard/shared/parts/confirm-dialog.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SELLING_TEXTS } from '../parts/texts.js';

interface LinkSwitchDialogProps {
  readonly link: MerchantSchema['PaymentLink'];
  readonly onClose: () => void;
}

export function LinkSwitchDialog({ link, onClose }: LinkSwitchDialogProps): ReactNode {
  const { links } = useTexts(SELLING_TEXTS);
  const client = useQueryClient();
  const { id, active, title } = link;
  const change = async (): Promise<void> => {
    const params = { path: { payment_link_id: id } };
    const path = '/v1/merchants/me/payment-links/{payment_link_id}';
    await unwrap(api.PATCH(path, { params, body: { active: !active } }));
    await client.invalidateQueries({ queryKey: ['payment-link', id] });
    await client.invalidateQueries({ queryKey: ['payment-links'] });
  };
  return (
    <ConfirmDialog
      title={active ? links.switchOff : links.switchOn}
      action={active ? links.switchOff : links.switchOn}
      isDangerous={active}
      isOpen
      onClose={onClose}
      onConfirm={change}
    >
      <Text size="sm">{active ? links.switchOffHelp(title) : links.switchOnHelp(title)}</Text>
    </ConfirmDialog>
  );
}
