// Matters that need attention, each with the view where it is settled.
import { formatMoney } from '@core/money.js';
import { Anchor, List, Skeleton, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import CircleCheck from 'lucide-react/icons/circle-check';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import type { ReactNode } from 'react';
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import { DetailView, Section } from '@dashboard/shared/parts/detail-view.js';
import { formatCount } from '@dashboard/shared/text/format.js';
import { type Language, useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { type Environment, useEnvironment } from '@dashboard/shared/session/environment.js';
import { useAttention } from './figures.js';
import { findStepView, listLiveSteps } from './live-steps.js';
import classes from './home.module.css';
import { HOME_TEXTS, type HomeTexts } from './texts.js';

const ICON_SIZE = 18;
type Matters = MerchantSchema['Attention'];

interface Matter {
  readonly text: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
}

export function Attention(): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  const { language } = useLanguage();
  const environment = useEnvironment();
  return (
    <Section title={texts.attention}>
      <DetailView query={useAttention()} loading={<Skeleton height={25} aria-busy />}>
        {(found) => <Matters matters={listMatters(found, texts, language, environment)} />}
      </DetailView>
    </Section>
  );
}

function Matters({ matters }: { readonly matters: readonly Matter[] }): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  if (matters.length === 0) {
    return (
      <div className={classes.well}>
        <CircleCheck size={ICON_SIZE} aria-hidden />
        <Text>{texts.allWell}</Text>
      </div>
    );
  }
  return (
    <List spacing="sm" listStyleType="none" center={false} withPadding={false}>
      {matters.map(({ text, to, search }) => (
        <List.Item
          key={text}
          icon={<TriangleAlert size={ICON_SIZE} className={classes.warning} aria-hidden />}
        >
          {text}{' '}
          <Anchor
            underline="always"
            component={Link}
            to={to}
            search={search as never}
            aria-label={`${texts.look}: ${text}`}
          >
            {texts.look}
          </Anchor>
        </List.Item>
      ))}
    </List>
  );
}

function listMatters(
  found: Matters,
  texts: HomeTexts,
  language: Language,
  environment: Environment,
): readonly Matter[] {
  const about = (
    count: number | null,
    text: (count: string, isOne: boolean) => string,
    at: Omit<Matter, 'text'>,
  ): readonly Matter[] =>
    count === null || count === 0
      ? []
      : [{ text: text(formatCount(count, language), count === 1), ...at }];
  const negative = found.negative_balances.map(({ available, currency }) => ({
    text: texts.negative(formatMoney(available, currency)),
    to: '/balance',
  }));
  const steps = listLiveSteps(found, environment).map((step) => ({
    text: texts.goingLive[step],
    to: findStepView(step),
  }));
  return [
    ...about(found.charged_back, texts.chargedBack, {
      to: '/payments',
      search: { mark: 'charged_back' },
    }),
    ...about(found.paid_late, texts.paidLate, { to: '/payments', search: { mark: 'late' } }),
    ...about(found.refusing_endpoints, texts.failingEndpoints, { to: '/webhooks' }),
    ...about(found.dead_letters, texts.deadLetters, { to: '/webhooks/dead-letters' }),
    ...negative,
    ...about(found.manual_refunds, texts.manualRefunds, {
      to: '/refunds',
      search: { status: 'MANUAL_REQUIRED' },
    }),
    ...steps,
  ];
}
