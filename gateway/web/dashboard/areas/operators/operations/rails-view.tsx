// The rails: whether each takes payments now, what it offers, and its calls without an outcome.
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { AdministratorSchema } from '@dashboard/shared/api/client.js';
import { DetailView, Facts, Section } from '@dashboard/shared/parts/detail-view.js';
import { type Column, ListTable } from '@dashboard/shared/lists/list-table.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import { formatCount } from '@dashboard/shared/text/format.js';
import { useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { railsQuery } from '../parts/rail-names.js';
import { useMethodName } from '@dashboard/shared/text/method-names.js';
import { OPERATIONS_TEXTS } from './texts.js';

type Rail = AdministratorSchema['RailHealth'];

const REFRESH_MS = 5_000;
/** The statuses whose colours they have. */
const SHOWN_AS: Readonly<Record<string, string>> = {
  available: 'active',
  paused: 'pending',
  silent: 'failed',
};

export function RailsView(): ReactNode {
  const texts = useTexts(OPERATIONS_TEXTS);
  const query = useQuery({ ...railsQuery, refetchInterval: REFRESH_MS });
  return (
    <Page title={texts.rails}>
      <DetailView query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Section title={texts.noRails}>
              <Text c="dimmed">{texts.noRailsHelp}</Text>
            </Section>
          ) : (
            <Stack>
              {data.map((rail) => (
                <RailSection key={rail.rail} rail={rail} />
              ))}
            </Stack>
          )
        }
      </DetailView>
    </Page>
  );
}

function RailSection({ rail }: { readonly rail: Rail }): ReactNode {
  const texts = useTexts(OPERATIONS_TEXTS);
  const { language } = useLanguage();
  const { status, unknown_outcomes: unknown } = rail;
  const labels: Readonly<Record<string, string>> = texts.railStatuses;
  return (
    <Section
      title={rail.rail}
      actions={<StatusBadge status={SHOWN_AS[status] ?? status} label={labels[status] ?? status} />}
    >
      <Stack>
        {status === 'paused' && <Text>{texts.pausedHelp}</Text>}
        {status === 'silent' && <Text>{texts.silentHelp}</Text>}
        <Facts
          facts={[
            [texts.until, rail.paused_until && <When at={rail.paused_until} />],
            [texts.seen, <When key="seen" at={rail.seen_at} isRelative />],
            [texts.unknown, formatCount(unknown, language)],
            [texts.unknownSince, rail.unknown_since && <When at={rail.unknown_since} isRelative />],
          ]}
        />
        <ListTable
          label={`${rail.rail}: ${texts.methods}`}
          rows={rail.payment_methods}
          columns={listMethodColumns(texts, useMethodName())}
          rowKey={({ payment_method: method }) => method}
        />
      </Stack>
    </Section>
  );
}

function listMethodColumns(
  texts: (typeof OPERATIONS_TEXTS)['id'],
  nameMethod: (method: string) => string,
): readonly Column<Rail['payment_methods'][number]>[] {
  return [
    { name: texts.methods, render: ({ payment_method: method }) => nameMethod(method) },
    {
      name: texts.limits,
      render: ({ min_amount: min, max_amount: max }) => (
        <>
          <Money minor={min} currency="IDR" /> – <Money minor={max} currency="IDR" />
        </>
      ),
    },
    {
      name: texts.refundable,
      render: ({ refundable }) => (refundable ? texts.byRail : texts.byHand),
    },
  ];
}
