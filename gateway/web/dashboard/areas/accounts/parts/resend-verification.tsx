// Asks for the mail that confirms an address once more. The answer does not tell whether the address waits for it.
import { Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { PART_TEXTS } from './texts.js';

export function ResendVerification({ email }: { readonly email: string }): ReactNode {
  const texts = useTexts(PART_TEXTS);
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () => unwrap(api.POST('/v1/auth/verify/resend', { body: { email } })),
  });
  if (isSuccess) {
    return (
      <Text size="sm" role="status">
        {texts.resent(email)}
      </Text>
    );
  }
  return (
    <>
      {error !== null && <ApiErrorView error={error} />}
      <Button
        variant="default"
        size="xs"
        loading={isPending}
        onClick={() => {
          mutate();
        }}
      >
        {texts.resend}
      </Button>
    </>
  );
}
