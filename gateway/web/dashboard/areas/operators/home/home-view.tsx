// The home of administrators: what waits for one of them. Each card leads to its list.
import { SimpleGrid } from '@mantine/core';
import type { ReactNode } from 'react';
import { Page } from '@dashboard/shared/parts/page.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { ApprovalsCard, KycCard, ManualCard, TasksCard } from './queues.js';
import { RailsCard, SuspenseCard, SwitchesCard } from './states.js';
import { HOME_TEXTS } from './texts.js';

export function HomeView(): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  return (
    <Page title={texts.home}>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <KycCard />
        <TasksCard />
        <ApprovalsCard />
        <ManualCard />
        <SwitchesCard />
        <RailsCard />
        <SuspenseCard />
      </SimpleGrid>
    </Page>
  );
}
