// Requests a link to choose a new password. The answer does not tell whether the address is registered.
import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { useFormRequest } from '@dashboard/shared/forms/form-request.js';
import { Mailed, sendsMail } from '@dashboard/shared/parts/mailed.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { isEmail } from '../parts/email.js';
import { OpenPage } from './open-page.js';
import { SignInError } from './sign-in-error.js';
import { OPEN_TEXTS } from './texts.js';

export function ForgotPassword(): ReactNode {
  const texts = useTexts(OPEN_TEXTS);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const form = useForm({
    initialValues: { email: '' },
    validate: { email: (email) => (isEmail(email) ? null : texts.emailInvalid) },
  });
  const { submit, isSending, error } = useFormRequest({
    form,
    send: (body: { email: string }) => unwrap(api.POST('/v1/auth/password-reset', { body })),
    onDone: (_answer, { email }) => {
      setSentTo(email);
    },
  });
  const toSignIn = (
    <Anchor component={Link} to="/sign-in" size="sm">
      {texts.toSignIn}
    </Anchor>
  );
  if (sentTo !== null) {
    return (
      <OpenPage title={sendsMail ? texts.checkMail : texts.reset}>
        <Mailed to={sentTo}>
          <Text role="status">{texts.resetSent(sentTo)}</Text>
        </Mailed>
        {toSignIn}
      </OpenPage>
    );
  }
  return (
    <OpenPage title={texts.reset}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Mailed>
            <Text size="sm">{texts.resetHelp}</Text>
          </Mailed>
          <TextInput
            label={texts.email}
            type="email"
            autoComplete="username"
            required
            {...form.getInputProps('email')}
          />
          {error !== null && <SignInError error={error} />}
          <Button type="submit" loading={isSending}>
            {texts.sendLink}
          </Button>
          {toSignIn}
        </Stack>
      </form>
    </OpenPage>
  );
}
