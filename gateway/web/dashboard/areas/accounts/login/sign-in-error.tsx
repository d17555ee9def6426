// Why a sign-in failed: a wrong password and a pause after many attempts have words of their own.
import { Alert, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiFailure } from '@dashboard/shared/api/failure.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { Identifier } from '@dashboard/shared/parts/identifier.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { OPEN_TEXTS, type OpenTexts } from './texts.js';

const MINUTE_S = 60;

function describe(
  { code, retryAfterS }: ApiFailure,
  texts: OpenTexts,
): { title: string; text: string } | null {
  if (code === 'login_failed') return { title: texts.wrongTitle, text: texts.wrong };
  if (code !== 'rate_limited' || retryAfterS === null) return null;
  return {
    title: texts.lockedTitle,
    text: texts.locked(Math.max(1, Math.ceil(retryAfterS / MINUTE_S))),
  };
}

export function SignInError({ error }: { readonly error: Error }): ReactNode {
  const texts = useTexts(OPEN_TEXTS);
  const shared = useTexts(SHARED_TEXTS);
  const described = error instanceof ApiFailure ? describe(error, texts) : null;
  if (!(error instanceof ApiFailure) || described === null) return <ApiErrorView error={error} />;
  return (
    <Alert color="red" title={described.title} role="alert">
      <Text size="sm">{described.text}</Text>
      {error.requestId !== null && (
        <Group gap="xs" mt="xs">
          <Text size="xs" component="span">
            {shared.requestId}
          </Text>
          <Identifier value={error.requestId} />
        </Group>
      )}
    </Alert>
  );
}
