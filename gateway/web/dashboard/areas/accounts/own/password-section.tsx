// Changes the password of the person.
import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { queryClient } from '@dashboard/shared/api/queries.js';
import { useFormRequest } from '@dashboard/shared/forms/form-request.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { Section } from '@dashboard/shared/parts/detail-view.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { findPasswordError, NewPassword } from '../parts/new-password.js';
import { PART_TEXTS } from '../parts/texts.js';
import { SESSIONS_KEY } from './sessions-section.js';
import { OWN_TEXTS } from './texts.js';

const EMPTY = { current_password: '', password: '' };

export function PasswordSection(): ReactNode {
  const texts = useTexts(OWN_TEXTS);
  const partTexts = useTexts(PART_TEXTS);
  const form = useForm({
    initialValues: EMPTY,
    validate: {
      current_password: (text) => (text === '' ? texts.required : null),
      password: (text) => findPasswordError(text, partTexts),
    },
  });
  const { submit, isSending, error } = useFormRequest({
    form,
    refusals: { current_password: texts.wrongPassword },
    send: (body: typeof EMPTY) => unwrap(api.POST('/v1/auth/password', { body })),
    onDone: () => {
      form.reset();
      notifications.show({ message: texts.passwordChanged });
      void queryClient.invalidateQueries({ queryKey: SESSIONS_KEY });
    },
  });
  return (
    <Section title={texts.password}>
      <form onSubmit={submit} noValidate>
        <Stack maw={420}>
          <Text size="sm" c="dimmed">
            {texts.passwordHelp}
          </Text>
          <PasswordInput
            label={texts.currentPassword}
            autoComplete="current-password"
            required
            visibilityToggleButtonProps={{ 'aria-label': texts.showPassword }}
            {...form.getInputProps('current_password')}
          />
          <NewPassword label={texts.newPassword} {...form.getInputProps('password')} />
          {error !== null && <ApiErrorView error={error} />}
          <div>
            <Button type="submit" loading={isSending}>
              {texts.changePassword}
            </Button>
          </div>
        </Stack>
      </form>
    </Section>
  );
}
