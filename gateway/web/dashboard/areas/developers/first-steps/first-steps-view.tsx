// The first steps of a new merchant: a checklist whose state the API tells, and a live log of what arrived. All but the
// last are made in TEST.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { DEVELOPERS_TEXTS } from '../texts.js';
import { Arrivals } from './arrivals.js';
import { Checklist } from './checklist.js';
import { useProgress } from './progress.js';

export function FirstStepsView(): ReactNode {
  const { steps } = useTexts(DEVELOPERS_TEXTS);
  const { made, error, retry } = useProgress();
  return (
    <Page title={steps.title}>
      <Text c="dimmed">{steps.about}</Text>
      {error !== null && <ApiErrorView error={error} onRetry={retry} />}
      <Checklist made={made} />
      <Arrivals webhookId={made.endpoint?.id ?? null} />
    </Page>
  );
}
