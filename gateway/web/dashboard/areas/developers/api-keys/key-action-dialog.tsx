// Rolls or revokes an API key, after the person has confirmed it.
import { Select, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ConfirmDialog } from '@dashboard/shared/parts/confirm-dialog.js';
import { SecondFactorHint } from '@dashboard/shared/second-factor/second-factor-hint.js';
import { useStepUp } from '@dashboard/shared/second-factor/step-up.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { OVERLAPS_S } from '../parts/overlaps.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';
import { type ApiKey, type KeyAction, nameKey, type NewApiKey } from './key-columns.js';

interface KeyActionDialogProps {
  readonly action: KeyAction;
  readonly onRolled: (key: NewApiKey) => void;
  readonly onClose: () => void;
}

export function KeyActionDialog({ action, ...rest }: KeyActionDialogProps): ReactNode {
  return action.kind === 'roll' ? (
    <RollDialog apiKey={action.key} {...rest} />
  ) : (
    <RevokeDialog apiKey={action.key} onClose={rest.onClose} />
  );
}

interface RollDialogProps extends Omit<KeyActionDialogProps, 'action'> {
  readonly apiKey: ApiKey;
}

function RollDialog({ apiKey, onRolled, onClose }: RollDialogProps): ReactNode {
  const { keys, overlap } = useTexts(DEVELOPERS_TEXTS);
  const stepUp = useStepUp();
  const [seconds, setSeconds] = useState('86400');
  const isSensitive = apiKey.environment === 'LIVE' || apiKey.scopes.includes('payouts');
  const roll = async (): Promise<void> => {
    const made = await stepUp((code) =>
      unwrap(
        api.POST('/v1/merchants/me/api-keys/{api_key_id}/roll', {
          params: { path: { api_key_id: apiKey.id } },
          body: {
            overlap_seconds: Number(seconds),
            ...(code === undefined ? {} : { totp_code: code }),
          },
        }),
      ),
    );
    onRolled(made);
  };
  return (
    <ConfirmDialog
      title={keys.actionOn.roll(nameKey(apiKey))}
      action={keys.actions.roll}
      isOpen
      onClose={onClose}
      onConfirm={roll}
    >
      <Text size="sm">{keys.rollHelp}</Text>
      <Select
        label={overlap.label}
        data={OVERLAPS_S.map((each) => ({ value: each, label: overlap.of[each] }))}
        value={seconds}
        allowDeselect={false}
        onChange={(chosen) => {
          if (chosen !== null) setSeconds(chosen);
        }}
      />
      {isSensitive && <SecondFactorHint />}
    </ConfirmDialog>
  );
}

function RevokeDialog({ apiKey, onClose }: Pick<RollDialogProps, 'apiKey' | 'onClose'>): ReactNode {
  const { keys } = useTexts(DEVELOPERS_TEXTS);
  const client = useQueryClient();
  const revoke = async (): Promise<void> => {
    const path = { api_key_id: apiKey.id };
    await unwrap(api.DELETE('/v1/merchants/me/api-keys/{api_key_id}', { params: { path } }));
    await client.invalidateQueries({ queryKey: ['api-keys'] });
  };
  return (
    <ConfirmDialog
      title={keys.actionOn.revoke(nameKey(apiKey))}
      action={keys.actions.revoke}
      isDangerous
      isOpen
      onClose={onClose}
      onConfirm={revoke}
    >
      <Text size="sm">{keys.revokeHelp(nameKey(apiKey), apiKey.environment)}</Text>
    </ConfirmDialog>
  );
}
