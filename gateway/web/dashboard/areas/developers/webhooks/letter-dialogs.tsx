// Replays or drops one dead letter, after the person has confirmed it.
import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ConfirmDialog } from '@dashboard/shared/parts/confirm-dialog.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';
import type { Delivery } from './delivery-columns.js';

interface LetterDialogProps {
  readonly delivery: Pick<Delivery, 'id' | 'type' | 'url'>;
  readonly onClose: () => void;
}

/** Afterwards the delivery is shown, which is sent at once. */
export function ReplayDialog({ delivery, onClose }: LetterDialogProps): ReactNode {
  const { deadLetters } = useTexts(DEVELOPERS_TEXTS);
  const client = useQueryClient();
  const navigate = useNavigate();
  const { id, type, url } = delivery;
  const replay = async (): Promise<void> => {
    const params = { path: { delivery_id: id } };
    await unwrap(api.POST('/v1/merchants/me/webhooks/dlq/{delivery_id}/replay', { params }));
    await client.invalidateQueries({ queryKey: ['dead-letters'] });
    await client.invalidateQueries({ queryKey: ['delivery', id] });
    await navigate({ to: '/webhooks/deliveries/$deliveryId', params: { deliveryId: id } });
  };
  return (
    <ConfirmDialog
      title={deadLetters.replayOne}
      action={deadLetters.replay}
      isOpen
      onClose={onClose}
      onConfirm={replay}
    >
      <Text size="sm">{deadLetters.replayHelp(type, url)}</Text>
    </ConfirmDialog>
  );
}

interface DropDialogProps extends LetterDialogProps {
  /** The delivery no longer exists. */
  readonly onDropped?: () => Promise<void>;
}

export function DropDialog({ delivery, onClose, onDropped }: DropDialogProps): ReactNode {
  const { deadLetters } = useTexts(DEVELOPERS_TEXTS);
  const client = useQueryClient();
  const { id, type, url } = delivery;
  const drop = async (): Promise<void> => {
    const params = { path: { delivery_id: id } };
    await unwrap(api.DELETE('/v1/merchants/me/webhooks/dlq/{delivery_id}', { params }));
    await onDropped?.();
    await client.invalidateQueries({ queryKey: ['dead-letters'] });
  };
  return (
    <ConfirmDialog
      title={deadLetters.dropOne}
      action={deadLetters.drop}
      isDangerous
      isOpen
      onClose={onClose}
      onConfirm={drop}
    >
      <Text size="sm">{deadLetters.dropHelp(type, url)}</Text>
    </ConfirmDialog>
  );
}
