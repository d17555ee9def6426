// Asks for the password and the second factor before a second factor changes: a passkey if there is one, or a code.
import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import { readCode } from '@core/typed-identifiers.js';
import { FIRST_FIELD } from '@dashboard/shared/forms/first-field.js';
import { useFormRequest } from '@dashboard/shared/forms/form-request.js';
import { PasskeyErrorView } from '@dashboard/shared/second-factor/passkey-button.js';
import { makePasskeyCode } from '@dashboard/shared/session/passkeys.js';
import { useSession } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { OWN_TEXTS } from './texts.js';

export interface Proof {
  readonly current_password: string;
  readonly code: string;
}

interface ProofDialogProps<Data> {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly send: (proof: Proof) => Promise<Data>;
  readonly onDone: (data: Data) => void;
  readonly onClose: () => void;
}

function useProofForm<Data>({ send, onDone }: ProofDialogProps<Data>, usesPasskey: boolean) {
  const texts = useTexts(OWN_TEXTS);
  const isFilled = (value: string): string | null => (value.trim() === '' ? texts.required : null);
  const form = useForm<Proof>({
    initialValues: { current_password: '', code: '' },
    validate: {
      current_password: isFilled,
      code: (code) => (usesPasskey ? null : isFilled(code)),
    },
  });
  const request = useFormRequest({
    form,
    refusals: { current_password: texts.wrongPassword, code: texts.wrongCode },
    send: async ({ current_password, code }: Proof) =>
      send({
        current_password,
        code: usesPasskey ? await makePasskeyCode() : readCode(code),
      }),
    onDone,
  });
  return { form, ...request };
}

export function ProofDialog<Data>(props: ProofDialogProps<Data>): ReactNode {
  const { title, text, action, isDangerous = false, onClose } = props;
  const texts = useTexts(OWN_TEXTS);
  const shared = useTexts(SHARED_TEXTS);
  const { user } = useSession();
  const [usesPasskey, setUsesPasskey] = useState(user.passkeys > 0);
  const { form, submit, isSending, error } = useProofForm(props, usesPasskey);
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': shared.close }}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text size="sm">{text}</Text>
          <PasswordInput
            label={texts.currentPassword}
            autoComplete="current-password"
            {...FIRST_FIELD}
            required
            visibilityToggleButtonProps={{ 'aria-label': texts.showPassword }}
            {...form.getInputProps('current_password')}
          />
          {usesPasskey ? (
            <Text size="sm">{texts.passkeyAsked}</Text>
          ) : (
            <TextInput
              label={user.totp_enabled ? texts.code : texts.recoveryCode}
              autoComplete="one-time-code"
              required
              {...form.getInputProps('code')}
            />
          )}
          {user.passkeys > 0 && (
            <Group>
              <Button
                variant="subtle"
                size="compact-sm"
                onClick={() => {
                  setUsesPasskey(!usesPasskey);
                }}
              >
                {usesPasskey ? texts.useCode : shared.passkeyUse}
              </Button>
            </Group>
          )}
          {error !== null && <PasskeyErrorView error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {shared.cancel}
            </Button>
            <Button type="submit" color={isDangerous ? 'red' : 'brand'} loading={isSending}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
