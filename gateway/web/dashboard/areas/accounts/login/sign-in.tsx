// Sign-in: the password first, then the second factor if the API asks for it.
import { Anchor, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { Link, useRouter, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTexts } from '@dashboard/shared/text/language.js';
import { OpenPage } from './open-page.js';
import { SecondStep } from './second-step.js';
import { SignInError } from './sign-in-error.js';
import { OPEN_TEXTS } from './texts.js';
import { useSignIn } from './use-sign-in.js';

const HOME = '/dashboard';

export function SignIn(): ReactNode {
  const texts = useTexts(OPEN_TEXTS);
  const router = useRouter();
  const { next } = useSearch({ from: '/open/sign-in' });
  const form = useForm({ initialValues: { email: '', password: '' } });
  const { factors, isPending, error, send, sendPasskey, goBack } = useSignIn(() => {
    // Always below the dashboard, so that a link cannot lead to another site.
    router.history.push(next?.startsWith('/') === true ? HOME + next : HOME);
  });
  if (factors !== null) {
    return (
      <OpenPage title={texts.codeTitle}>
        <SecondStep
          {...{ ...factors, isPending, error }}
          onCode={(code) => {
            send({ ...form.getValues(), totp_code: code });
          }}
          onPasskey={() => sendPasskey(form.getValues())}
          onBack={goBack}
        />
      </OpenPage>
    );
  }
  return (
    <OpenPage title={texts.signIn}>
      <form
        onSubmit={form.onSubmit((values) => {
          send(values);
        })}
      >
        <Stack>
          <PasswordFields form={form} />
          {error !== null && <SignInError error={error} />}
          <Button type="submit" loading={isPending}>
            {texts.signIn}
          </Button>
          <OtherWays />
        </Stack>
      </form>
    </OpenPage>
  );
}

function OtherWays(): ReactNode {
  const texts = useTexts(OPEN_TEXTS);
  return (
    <Group justify="space-between" gap="xs">
      <Anchor component={Link} to="/forgot-password" size="sm">
        {texts.forgot}
      </Anchor>
      <Text size="sm">
        {texts.signInHelp}{' '}
        <Anchor component={Link} to="/register" size="sm" underline="always">
          {texts.register}
        </Anchor>
      </Text>
    </Group>
  );
}
interface PasswordFieldsProps {
  readonly form: UseFormReturnType<{ email: string; password: string }>;
}

function PasswordFields({ form }: PasswordFieldsProps): ReactNode {
  const texts = useTexts(OPEN_TEXTS);
  return (
    <>
      <TextInput
        label={texts.email}
        type="email"
        autoComplete="username"
        required
        {...form.getInputProps('email')}
      />
      <PasswordInput
        label={texts.password}
        autoComplete="current-password"
        required
        visibilityToggleButtonProps={{ 'aria-label': texts.showPassword }}
        {...form.getInputProps('password')}
      />
    </>
  );
}
