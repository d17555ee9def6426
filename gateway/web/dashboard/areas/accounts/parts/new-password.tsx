// The field of a new password, with the rule of the API beside it.
import { PasswordInput } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { useTexts } from '@dashboard/shared/text/language.js';
import { PART_TEXTS } from './texts.js';

/** As in gateway/accounts/users/schema.ts. */
const MIN_PASSWORD = 10;
const MAX_PASSWORD = 200;

/** The error of a new password in the words of the person; null: it may be sent. */
export function findPasswordError(
  password: string,
  texts: { readonly passwordShort: string },
): string | null {
  const isLongEnough = password.length >= MIN_PASSWORD && password.length <= MAX_PASSWORD;
  return isLongEnough ? null : texts.passwordShort;
}

interface NewPasswordProps extends ComponentProps<typeof PasswordInput> {
  readonly label: string;
}

export function NewPassword(props: NewPasswordProps): ReactNode {
  const texts = useTexts(PART_TEXTS);
  return (
    <PasswordInput
      description={texts.passwordRule}
      autoComplete="new-password"
      required
      maxLength={MAX_PASSWORD}
      visibilityToggleButtonProps={{ 'aria-label': texts.showPassword }}
      {...props}
    />
  );
}
