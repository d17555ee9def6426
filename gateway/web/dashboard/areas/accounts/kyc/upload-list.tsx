// The files under way: how far each is, and why one failed.
import { Button, Card, Group, Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiFailure } from '@dashboard/shared/api/failure.js';
import { describeFieldError } from '@dashboard/shared/text/error-texts.js';
import { type Language, useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { KYC_TEXTS, type KycTexts } from './texts.js';
import type { Chosen, Uploads } from './use-uploads.js';

const PERCENT = 100;

function describe({ state, sent, error }: Chosen, texts: KycTexts, language: Language): string {
  if (error instanceof ApiFailure) return describeFieldError(language, error);
  if (error !== null) return texts[error];
  if (state === 'waiting') return texts.waiting;
  const percent = Math.floor(sent * PERCENT);
  return percent === PERCENT ? texts.storing : texts.uploading(percent);
}

export function UploadList({ uploads }: { readonly uploads: Uploads }): ReactNode {
  return (
    <Stack gap="xs" aria-live="polite">
      {uploads.chosen.map((one) => (
        <UploadRow key={one.key} one={one} uploads={uploads} />
      ))}
    </Stack>
  );
}

interface UploadRowProps {
  readonly one: Chosen;
  readonly uploads: Uploads;
}

function UploadRow({ one, uploads }: UploadRowProps): ReactNode {
  const texts = useTexts(KYC_TEXTS);
  const { language } = useLanguage();
  const { key, file, state, sent, error } = one;
  const isRetried = error instanceof ApiFailure || error === 'offline' || error === 'pageFault';
  return (
    <Card withBorder padding="sm" data-upload={state}>
      <Text size="sm" fw={600} truncate>
        {file.name}
      </Text>
      <Text size="sm" c={state === 'failed' ? 'red' : 'dimmed'}>
        {describe(one, texts, language)}
      </Text>
      {state === 'sending' && <Progress value={sent * PERCENT} mt="xs" aria-label={file.name} />}
      {state === 'failed' && (
        <Group gap="xs" mt="xs">
          {isRetried && (
            <Button
              size="xs"
              variant="default"
              onClick={() => {
                uploads.retry(key);
              }}
            >
              {texts.again}
            </Button>
          )}
          <Button
            size="xs"
            variant="subtle"
            color="gray"
            onClick={() => {
              uploads.dismiss(key);
            }}
          >
            {texts.dismiss}
          </Button>
        </Group>
      )}
    </Card>
  );
}
