// Registration of a merchant. The account works at once in TEST, so the person is signed in afterwards.
import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { useFormRequest } from '@dashboard/shared/forms/form-request.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { Mailed, sendsMail } from '@dashboard/shared/parts/mailed.js';
import { signIn } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { findPasswordError, NewPassword } from '../parts/new-password.js';
import { ResendVerification } from '../parts/resend-verification.js';
import { PART_TEXTS } from '../parts/texts.js';
import { isEmail } from '../parts/email.js';
import { OpenPage } from './open-page.js';
import { OPEN_TEXTS } from './texts.js';

interface Account {
  readonly email: string;
  readonly password: string;
  readonly business_name: string;
}

const MAX_NAME = 128;

export function Register(): ReactNode {
  const [account, setAccount] = useState<Account | null>(null);
  return account === null ? (
    <RegisterForm onDone={setAccount} />
  ) : (
    <CheckMail email={account.email} password={account.password} />
  );
}

function useRegisterForm(onDone: (account: Account) => void) {
  const texts = useTexts(OPEN_TEXTS);
  const partTexts = useTexts(PART_TEXTS);
  const form = useForm<Account>({
    initialValues: { business_name: '', email: '', password: '' },
    validate: {
      business_name: (name) => (name.trim() === '' ? texts.nameMissing : null),
      email: (email) => (isEmail(email) ? null : texts.emailInvalid),
      password: (password, { email }) =>
        password.trim().toLowerCase() === email.trim().toLowerCase()
          ? texts.passwordIsEmail
          : findPasswordError(password, partTexts),
    },
  });
  const send = (values: Account) => unwrap(api.POST('/v1/auth/register', { body: values }));
  const request = useFormRequest({
    form,
    send,
    onDone: (_answer, values) => {
      onDone(values);
    },
  });
  return { form, ...request };
}

function RegisterForm({ onDone }: { readonly onDone: (account: Account) => void }): ReactNode {
  const texts = useTexts(OPEN_TEXTS);
  const { form, submit, isSending, error } = useRegisterForm(onDone);
  return (
    <OpenPage title={texts.register}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text size="sm" c="dimmed">
            {texts.registerNote}
          </Text>
          <TextInput
            label={texts.businessName}
            description={texts.businessHelp}
            autoComplete="organization"
            maxLength={MAX_NAME}
            required
            {...form.getInputProps('business_name')}
          />
          <TextInput
            label={texts.email}
            type="email"
            autoComplete="username"
            required
            {...form.getInputProps('email')}
          />
          <NewPassword label={texts.password} {...form.getInputProps('password')} />
          {error !== null && <ApiErrorView error={error} />}
          <Button type="submit" loading={isSending}>
            {texts.register}
          </Button>
          <Text size="sm">
            {texts.registerHelp}{' '}
            <Anchor component={Link} to="/sign-in" size="sm" underline="always">
              {texts.signIn}
            </Anchor>
          </Text>
        </Stack>
      </form>
    </OpenPage>
  );
}

function CheckMail({ email, password }: Pick<Account, 'email' | 'password'>): ReactNode {
  const texts = useTexts(OPEN_TEXTS);
  const navigate = useNavigate();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => signIn({ email, password }),
    onSuccess: () => navigate({ to: '/' }),
  });
  return (
    <OpenPage title={sendsMail ? texts.checkMail : texts.made}>
      <Mailed to={email}>
        <Text role="status">{texts.registered(email)}</Text>
        <Text size="sm" c="dimmed">
          {texts.registeredHelp}
        </Text>
      </Mailed>
      <ResendVerification email={email} />
      {error !== null && <ApiErrorView error={error} />}
      <Button
        loading={isPending}
        onClick={() => {
          mutate();
        }}
      >
        {texts.goOn}
      </Button>
    </OpenPage>
  );
}
