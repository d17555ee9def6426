// Today's volume and success rate, what waits, and the balance.
import { formatMoney } from '@core/money.js';
import { SimpleGrid } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { DetailView, NumberCard, Section } from '@dashboard/shared/parts/detail-view.js';
import { useBalance } from '@dashboard/shared/session/balance.js';
import { formatCount, formatPercent } from '@dashboard/shared/text/format.js';
import { useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { type Statistics, useStatistics } from './figures.js';
import { usePeriod } from './outcomes-section.js';
import { HOME_TEXTS } from './texts.js';

const COLUMNS = { base: 1, xs: 2, xl: 4 } as const;
const UNKNOWN = '—';
/** As high as a line of text. */
const BLANK = '\u00a0';

export function TodayCards(): ReactNode {
  const [period] = usePeriod();
  return (
    <DetailView query={useStatistics(period)} loading={<LoadingCards />}>
      {(statistics) => (
        <SimpleGrid cols={COLUMNS}>
          <PaidCard statistics={statistics} />
          <SuccessCard statistics={statistics} />
          <PendingCard statistics={statistics} />
          <BalanceCard />
        </SimpleGrid>
      )}
    </DetailView>
  );
}

function LoadingCards(): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  return (
    <SimpleGrid cols={COLUMNS} aria-busy>
      {[texts.today, texts.success, texts.pending, texts.balance].map((name) => (
        <NumberCard key={name} name={name} help={BLANK} figure={BLANK} />
      ))}
    </SimpleGrid>
  );
}

interface FiguresProps {
  readonly statistics: Statistics;
}

function PaidCard({ statistics: { today, currency } }: FiguresProps): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  const { language } = useLanguage();
  const { count, amount } = today.paid;
  return (
    <NumberCard
      name={texts.today}
      help={texts.todayHelp(formatCount(count, language), count === 1)}
      figure={formatMoney(amount, currency)}
    />
  );
}

function SuccessCard({ statistics: { today } }: FiguresProps): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  const { language } = useLanguage();
  const { success_rate: rate, paid, failed } = today;
  const ended = formatCount(paid.count + failed.count, language);
  return (
    <NumberCard
      name={texts.success}
      help={
        rate === null
          ? texts.nothingEnded
          : texts.successHelp(formatCount(paid.count, language), ended)
      }
      figure={rate === null ? UNKNOWN : formatPercent(rate, language)}
    />
  );
}

function PendingCard({ statistics: { pending, currency } }: FiguresProps): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  const { language } = useLanguage();
  const count = formatCount(pending.count, language);
  const help = pending.complete
    ? texts.todayHelp(count, pending.count === 1)
    : texts.atLeast(count);
  return (
    <NumberCard name={texts.pending} help={help} figure={formatMoney(pending.amount, currency)} />
  );
}

function BalanceCard(): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  const { data, error, refetch } = useBalance();
  if (data === undefined && error !== null) {
    return (
      <Section title={texts.balance}>
        <ApiErrorView error={error} onRetry={() => void refetch()} />
      </Section>
    );
  }
  const [balance] = data?.data ?? [];
  return (
    <NumberCard
      name={texts.balance}
      help={texts.balanceHelp}
      figure={balance === undefined ? UNKNOWN : formatMoney(balance.available, balance.currency)}
    />
  );
}
