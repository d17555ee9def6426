// The first steps of a new merchant: a checklist whose state the API tells, and a live log of what arrived. All but the
// last are made in TEST.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { DetailView } from '@dashboard/shared/parts/detail-view.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';
import { Arrivals } from './arrivals.js';
import { Checklist } from './checklist.js';
import { useProgress } from './progress.js';

export function FirstStepsView(): ReactNode {
  const { steps } = useTexts(DEVELOPERS_TEXTS);
  const query = useProgress();
  return (
    <Page title={steps.title} permission="read_keys">
      <Text c="dimmed">{steps.about}</Text>
      <DetailView query={query}>{(made) => <Checklist made={made} />}</DetailView>
      <Arrivals webhookId={query.data?.endpoint?.id ?? null} />
    </Page>
  );
}
