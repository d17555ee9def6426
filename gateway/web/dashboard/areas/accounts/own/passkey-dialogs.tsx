// The dialogs that add, rename and remove a passkey.
import { Button, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { FIRST_FIELD } from '@dashboard/shared/forms/first-field.js';
import { useFormRequest } from '@dashboard/shared/forms/form-request.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { PasskeyErrorView } from '@dashboard/shared/second-factor/passkey-button.js';
import { useStepUp } from '@dashboard/shared/second-factor/step-up.js';
import { useSession } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import {
  addPasskey,
  type NewPasskey,
  type Passkey,
  removePasskey,
  renamePasskey,
} from './passkey-requests.js';
import { PASSKEY_TEXTS } from './passkey-texts.js';
import { type Proof, ProofDialog } from './proof-dialog.js';
import { OWN_TEXTS } from './texts.js';

const MAX_NAME = 64;

interface AddPasskeyDialogProps {
  readonly onNewCodes: (codes: readonly string[]) => void;
  readonly onClose: () => void;
}

function useAddForm({ onNewCodes, onClose }: AddPasskeyDialogProps) {
  const texts = useTexts(PASSKEY_TEXTS);
  const own = useTexts(OWN_TEXTS);
  const stepUp = useStepUp();
  const isFilled = (text: string): string | null => (text.trim() === '' ? own.required : null);
  const form = useForm<NewPasskey>({
    initialValues: { name: '', current_password: '' },
    validate: { name: isFilled, current_password: isFilled },
  });
  const request = useFormRequest({
    form,
    refusals: { current_password: own.wrongPassword },
    send: (passkey: NewPasskey) => addPasskey(stepUp, passkey),
    onDone: (codes) => {
      notifications.show({ message: texts.addedNotice });
      onClose();
      if (codes.length > 0) onNewCodes(codes);
    },
  });
  return { form, ...request };
}

export function AddPasskeyDialog(props: AddPasskeyDialogProps): ReactNode {
  const texts = useTexts(PASSKEY_TEXTS);
  const own = useTexts(OWN_TEXTS);
  const shared = useTexts(SHARED_TEXTS);
  const { form, submit, isSending, error } = useAddForm(props);
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={texts.add}
      closeButtonProps={{ 'aria-label': shared.close }}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text size="sm">{texts.addHelp}</Text>
          <TextInput
            label={texts.name}
            description={texts.nameHelp}
            placeholder={texts.nameExample}
            autoComplete="off"
            maxLength={MAX_NAME}
            {...FIRST_FIELD}
            required
            {...form.getInputProps('name')}
          />
          <PasswordInput
            label={own.currentPassword}
            autoComplete="current-password"
            required
            visibilityToggleButtonProps={{ 'aria-label': own.showPassword }}
            {...form.getInputProps('current_password')}
          />
          {error !== null && <PasskeyErrorView error={error} />}
          <Button type="submit" loading={isSending}>
            {own.goOn}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}

interface PasskeyDialogProps {
  readonly passkey: Passkey;
  readonly onClose: () => void;
}

export function RenamePasskeyDialog({ passkey, onClose }: PasskeyDialogProps): ReactNode {
  const texts = useTexts(PASSKEY_TEXTS);
  const own = useTexts(OWN_TEXTS);
  const shared = useTexts(SHARED_TEXTS);
  const form = useForm({
    initialValues: { name: passkey.name },
    validate: { name: (text) => (text.trim() === '' ? own.required : null) },
  });
  const { submit, isSending, error } = useFormRequest({
    form,
    send: ({ name }: { name: string }) => renamePasskey(passkey, name),
    onDone: onClose,
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.renameNamed(passkey.name)}
      closeButtonProps={{ 'aria-label': shared.close }}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <TextInput
            label={texts.name}
            autoComplete="off"
            maxLength={MAX_NAME}
            {...FIRST_FIELD}
            required
            {...form.getInputProps('name')}
          />
          {error !== null && <ApiErrorView error={error} />}
          <Button type="submit" loading={isSending}>
            {texts.rename}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}

export function RemovePasskeyDialog({ passkey, onClose }: PasskeyDialogProps): ReactNode {
  const texts = useTexts(PASSKEY_TEXTS);
  const { user } = useSession();
  const isLastFactor = user.passkeys === 1 && !user.totp_enabled;
  return (
    <ProofDialog
      title={texts.removeNamed(passkey.name)}
      text={isLastFactor ? texts.removeLastHelp : texts.removeHelp}
      action={texts.remove}
      isDangerous
      send={(proof: Proof) => removePasskey(passkey, proof)}
      onDone={() => {
        onClose();
        notifications.show({ message: texts.removed });
      }}
      onClose={onClose}
    />
  );
}
