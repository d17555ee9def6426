// The frame of a view without a session: the name of the service, a card, the language.
import { Box, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { LanguageSwitch } from './language-switch.js';

const brand = document.querySelector<HTMLMetaElement>('meta[name=application-name]')?.content ?? '';

interface OpenPageProps {
  readonly title: string;
  readonly children: ReactNode;
}

export function OpenPage({ title, children }: OpenPageProps): ReactNode {
  useDocumentTitle(title);
  return (
    <Box component="main" maw={420} mx="auto" px="md" py={{ base: 'xl', sm: 80 }}>
      <Stack gap="lg">
        <Group justify="space-between">
          <Text fw={650} size="lg">
            {brand}
          </Text>
          <LanguageSwitch />
        </Group>
        <Card withBorder padding="xl" style={{ overflowWrap: 'anywhere' }}>
          <Stack>
            <Title order={1} size="h3">
              {title}
            </Title>
            {children}
          </Stack>
        </Card>
      </Stack>
    </Box>
  );
}
