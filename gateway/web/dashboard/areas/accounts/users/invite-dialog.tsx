// Invites a colleague.
import { Button, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { FIRST_FIELD } from '@dashboard/shared/forms/first-field.js';
import { useFormRequest } from '@dashboard/shared/forms/form-request.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { useStepUp } from '@dashboard/shared/second-factor/step-up.js';
import { Mailed, sendsMail } from '@dashboard/shared/parts/mailed.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { isEmail } from '../parts/email.js';
import { type Invitation, invite } from './requests.js';
import { RoleChoice, useMayGive } from './role-choice.js';
import { TEAM_TEXTS } from './texts.js';

export function InviteDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const texts = useTexts(TEAM_TEXTS);
  const shared = useTexts(SHARED_TEXTS);
  const stepUp = useStepUp();
  const mayGive = useMayGive();
  const form = useForm<Invitation>({
    initialValues: { email: '', role: 'viewer' },
    validate: { email: (email) => (isEmail(email) ? null : texts.emailInvalid) },
  });
  const { submit, isSending, error } = useFormRequest({
    form,
    send: ({ email, role }: Invitation) => invite(stepUp, { email: email.trim(), role }),
    onDone: (_answer, { email }) => {
      notifications.show({ message: sendsMail ? texts.inviteSent(email) : shared.mailKept(email) });
      onClose();
    },
  });
  const { role } = form.getValues();
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.invite}
      closeButtonProps={{ 'aria-label': shared.close }}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <Mailed>
            <Text size="sm">{texts.inviteHelp}</Text>
          </Mailed>
          <TextInput
            label={texts.email}
            type="email"
            autoComplete="off"
            {...FIRST_FIELD}
            required
            {...form.getInputProps('email')}
          />
          <RoleChoice
            value={role}
            onChange={(chosen) => {
              form.setFieldValue('role', chosen);
            }}
          />
          {error !== null && <ApiErrorView error={error} />}
          <Button type="submit" loading={isSending} disabled={!mayGive(role)}>
            {texts.sendInvitation}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
