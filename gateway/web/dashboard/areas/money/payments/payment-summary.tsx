// The tabs of the statuses with their counts, and the sum of the payments that match the filters. The API looks at a bounded
// number of payments, so large figures are the least that there is.
import { Button, Group, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { useFilters } from '@dashboard/shared/lists/filters.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { formatCount } from '@dashboard/shared/text/format.js';
import { useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { MONEY_TEXTS } from '../parts/texts.js';

const PATH = '/v1/merchants/me/payment-summary';
const REFRESH_MS = 10_000;
const STATUSES = ['pending', 'paid', 'failed', 'cancelled', 'refunded'] as const;

type Summary = MerchantSchema['PaymentSummary'];

interface PaymentSummaryProps {
  /** The query of the list. */
  readonly query: Readonly<Record<string, string | undefined>>;
}

export function PaymentSummary({ query }: PaymentSummaryProps): ReactNode {
  const { status, ...filters } = query;
  const { data } = useQuery({
    queryKey: ['payment-summary', filters],
    queryFn: () => unwrap(api.GET(PATH, { params: { query: filters } })),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  const shown = STATUSES.find((each) => each === status);
  return (
    <Stack gap="xs">
      <StatusTabs summary={data} shown={shown} />
      {data !== undefined && <SumLine sum={data[shown ?? 'all']} currency={data.currency} />}
    </Stack>
  );
}

interface StatusTabsProps {
  readonly summary: Summary | undefined;
  /** undefined: all. */
  readonly shown: (typeof STATUSES)[number] | undefined;
}

function StatusTabs({ summary, shown }: StatusTabsProps): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const { status: names } = useTexts(SHARED_TEXTS);
  const { language } = useLanguage();
  const { change } = useFilters();
  return (
    <Group gap={6} role="group" aria-label={texts.status}>
      {([undefined, ...STATUSES] as const).map((status) => {
        const sum = summary?.[status ?? 'all'];
        return (
          <Button
            key={status ?? 'all'}
            size="compact-sm"
            variant={status === shown ? 'filled' : 'default'}
            aria-pressed={status === shown}
            onClick={() => {
              change('status', status);
            }}
          >
            {status === undefined ? texts.anyPayments : names[status]}
            {sum && ` ${formatCount(sum.count, language)}${sum.complete ? '' : '+'}`}
          </Button>
        );
      })}
    </Group>
  );
}

interface SumLineProps {
  readonly sum: Summary['all'];
  readonly currency: string;
}

function SumLine({ sum, currency }: SumLineProps): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const { language } = useLanguage();
  const { count, amount, complete: isComplete } = sum;
  return (
    <Text size="sm" data-sum>
      {texts.paymentCount(formatCount(count, language), isComplete)}, {texts.together(isComplete)}{' '}
      <strong>
        <Money minor={amount} currency={currency} />
      </strong>
    </Text>
  );
}
