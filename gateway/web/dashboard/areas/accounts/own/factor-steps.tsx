// The steps in which the authenticator app is set up.
import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { removeSeparators } from '@core/typed-identifiers.js';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { useFormRequest } from '@dashboard/shared/forms/form-request.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { Identifier } from '@dashboard/shared/parts/identifier.js';
import { QrCode } from '@dashboard/shared/parts/qr-code.js';
import { buildProof, useStepUp } from '@dashboard/shared/second-factor/step-up.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { OWN_TEXTS } from './texts.js';

type TotpSecret = MerchantSchema['TotpSecret'];

const SIX_DIGITS = /^\d{6}$/;

interface PasswordStepProps {
  readonly onDone: (secret: TotpSecret) => void;
}

export function PasswordStep({ onDone }: PasswordStepProps): ReactNode {
  const texts = useTexts(OWN_TEXTS);
  const stepUp = useStepUp();
  const form = useForm({
    initialValues: { current_password: '' },
    validate: { current_password: (text) => (text === '' ? texts.required : null) },
  });
  const { submit, isSending, error } = useFormRequest({
    form,
    refusals: { current_password: texts.wrongPassword },
    send: ({ current_password }: { current_password: string }) =>
      stepUp((code) => {
        const body = { current_password, ...buildProof(code) };
        return unwrap(api.POST('/v1/auth/totp', { body }));
      }),
    onDone,
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm">{texts.passwordStep}</Text>
        <PasswordInput
          label={texts.currentPassword}
          autoComplete="current-password"
          autoFocus
          required
          visibilityToggleButtonProps={{ 'aria-label': texts.showPassword }}
          {...form.getInputProps('current_password')}
        />
        {error !== null && <ApiErrorView error={error} />}
        <Button type="submit" loading={isSending}>
          {texts.goOn}
        </Button>
      </Stack>
    </form>
  );
}

interface ScanStepProps {
  readonly secret: TotpSecret;
  readonly onDone: (codes: readonly string[]) => void;
}

export function ScanStep({ secret, onDone }: ScanStepProps): ReactNode {
  const texts = useTexts(OWN_TEXTS);
  const form = useForm({
    initialValues: { code: '' },
    validate: {
      code: (text) => (SIX_DIGITS.test(removeSeparators(text)) ? null : texts.sixDigitsRule),
    },
  });
  const { submit, isSending, error } = useFormRequest({
    form,
    refusals: { code: texts.wrongCode },
    send: ({ code }: { code: string }) =>
      unwrap(api.POST('/v1/auth/totp/confirm', { body: { code: removeSeparators(code) } })),
    onDone: ({ recovery_codes: codes }) => {
      onDone(codes);
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm">{texts.scanStep}</Text>
        <Group justify="center">
          <QrCode text={secret.otpauth_url} label={texts.qrLabel} />
        </Group>
        <Text size="sm">{texts.manual}</Text>
        <Identifier value={secret.secret} />
        <TextInput
          label={texts.sixDigits}
          placeholder="123456"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          {...form.getInputProps('code')}
        />
        {error !== null && <ApiErrorView error={error} />}
        <Button type="submit" loading={isSending}>
          {texts.confirm}
        </Button>
      </Stack>
    </form>
  );
}
