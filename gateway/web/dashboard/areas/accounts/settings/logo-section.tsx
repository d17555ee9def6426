// The logo: a new one is shown in the preview as soon as it is stored.
import { Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Settings } from '@dashboard/shared/api/merchant-settings.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { Section } from '@dashboard/shared/parts/detail-view.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { encodeLogo, UnreadablePicture } from './encode-logo.js';
import { removeLogo, setLogo } from './settings-query.js';
import { SETTINGS_TEXTS } from './texts.js';

const ACCEPTED = 'image/png,image/jpeg';

interface LogoSectionProps {
  readonly settings: Settings;
  readonly mayChange: boolean;
}

export function LogoSection({ settings, mayChange }: LogoSectionProps): ReactNode {
  const texts = useTexts(SETTINGS_TEXTS);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (file: File | null) =>
      file === null ? removeLogo() : setLogo(await encodeLogo(file)),
  });
  if (!mayChange) return null;
  return (
    <Section title={texts.logo}>
      <Stack>
        <Text size="sm" c="dimmed">
          {texts.logoHelp}
        </Text>
        <Group>
          <FileButton
            accept={ACCEPTED}
            onChange={(file) => {
              if (file !== null) mutate(file);
            }}
          >
            {(props) => (
              <Button variant="default" loading={isPending} {...props}>
                {texts.chooseLogo}
              </Button>
            )}
          </FileButton>
          {settings.logo_url !== null && (
            <Button
              variant="subtle"
              color="red"
              onClick={() => {
                mutate(null);
              }}
            >
              {texts.removeLogo}
            </Button>
          )}
        </Group>
        {error instanceof UnreadablePicture && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {texts.logoWrong}
          </Text>
        )}
        {error !== null && !(error instanceof UnreadablePicture) && <ApiErrorView error={error} />}
      </Stack>
    </Section>
  );
}
