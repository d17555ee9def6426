// Addresses without a view, views that failed, and the address at which nobody can sign in.
import { Anchor, Container, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';

export function NotFound(): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  useDocumentTitle(texts.notFoundTitle);
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

export function RouteError({ error }: ErrorComponentProps): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  useDocumentTitle(texts.failedTitle);
  const router = useRouter();
  const failure = error instanceof Error ? error : new Error(String(error));
  return (
    <Container size="sm" py="xl">
      <Stack>
        <Title order={1}>{texts.failedTitle}</Title>
        <ApiErrorView error={failure} onRetry={() => void router.invalidate()} />
      </Stack>
    </Container>
  );
}

interface OtherAddressProps {
  /** The origin of BASE_URL: the only one from which the API takes the cookie of a session. */
  readonly origin: string;
}

export function OtherAddressPage({ origin }: OtherAddressProps): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  useDocumentTitle(texts.otherAddressTitle);
  const { pathname, search, hash } = location;
  const address = origin + pathname + search + hash;
  return (
    <main>
      <Container size="sm" py="xl">
        <Stack>
          <Title order={1}>{texts.otherAddressTitle}</Title>
          <Text>{texts.otherAddressHelp(location.origin)}</Text>
          <Anchor href={address}>{address}</Anchor>
          <Text>{texts.otherAddressOperator}</Text>
        </Stack>
      </Container>
    </main>
  );
}

/** Outside the shell, which has the landmark of the content. */
export const NotFoundPage = (): ReactNode => (
  <main>
    <NotFound />
  </main>
);

/** Instead of the shell, which has the landmark of the content. */
export const RouteErrorPage = (props: ErrorComponentProps): ReactNode => (
  <main>
    <RouteError {...props} />
  </main>
);
