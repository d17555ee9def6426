// Addresses without a view, and views that failed.
import { Anchor, Container, Stack, Text, Title } from '@mantine/core';
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';

export function NotFound(): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  return (
    <Container size="sm" py="xl">
      <Stack>
        <Title order={1}>{texts.notFoundTitle}</Title>
        <Text>{texts.notFoundHelp}</Text>
        <Anchor component={Link} to="/">
          {texts.backHome}
        </Anchor>
      </Stack>
    </Container>
  );
}

export function RouteError({ error, reset }: ErrorComponentProps): ReactNode {
  const failure = error instanceof Error ? error : new Error(String(error));
  return (
    <Container size="sm" py="xl">
      <ApiErrorView error={failure} onRetry={reset} />
    </Container>
  );
}
