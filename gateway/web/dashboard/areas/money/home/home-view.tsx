// The home page of a merchant: today's figures, what needs attention, and payments over time.
import { Button, Card, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from '@dashboard/shared/parts/page.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { useCan, useSession } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { Attention } from './attention.js';
import { isEmpty, useAttention, useHasPayments, useStatistics } from './figures.js';
import { findStepView, listLiveSteps, type LiveStep } from './live-steps.js';
import { OutcomesSection, usePeriod } from './outcomes-section.js';
import { HOME_TEXTS } from './texts.js';
import { TodayCards } from './today-cards.js';

export function HomeView(): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  const { merchant } = useSession();
  return <Page title={texts.home}>{merchant !== null && <MerchantHome />}</Page>;
}

function MerchantHome(): ReactNode {
  const [period] = usePeriod();
  const { data } = useStatistics(period);
  const { hasPayments, isLoading } = useHasPayments(data !== undefined && isEmpty(data));
  return (
    <>
      {hasPayments === false && <Welcome />}
      <TodayCards />
      <Attention />
      {hasPayments !== false && <OutcomesSection isLoading={isLoading} />}
    </>
  );
}

/** Leads a new merchant to its first payment; in LIVE to the step that is missing before it. */
function Welcome(): ReactNode {
  const environment = useEnvironment();
  const { data } = useAttention();
  const [next] = data === undefined ? [] : listLiveSteps(data, environment);
  if (environment === 'LIVE' && next !== undefined) return <WelcomeLive next={next} />;
  return <WelcomeTest />;
}

function WelcomeLive({ next }: { readonly next: LiveStep }): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  return (
    <Card withBorder py="xl" data-next={next}>
      <Stack align="center" gap="sm">
        <Text fw={600}>{texts.welcomeLive}</Text>
        <Text c="dimmed" ta="center">
          {texts.goingLive[next]}
        </Text>
        <Button component={Link} to={findStepView(next)}>
          {texts.nextStep}
        </Button>
      </Stack>
    </Card>
  );
}

function WelcomeTest(): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  const can = useCan();
  return (
    <Card withBorder py="xl">
      <Stack align="center" gap="sm">
        <Text fw={600}>{texts.welcome}</Text>
        <Text c="dimmed" ta="center">
          {texts.welcomeHelp}
        </Text>
        {can('read_keys') ? (
          <Button component={Link} to="/first-steps">
            {texts.firstSteps}
          </Button>
        ) : (
          can('change_payment_links') && (
            <Button component={Link} to="/payment-links">
              {texts.newLink}
            </Button>
          )
        )}
      </Stack>
    </Card>
  );
}
