// The statement: the movements of the balance by page, and as a file with the balance after each.
import { Stack, Text } from '@mantine/core';
import { findDay } from '@core/days.js';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, downloadCsv, type MerchantQuery } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { Section } from '@dashboard/shared/parts/detail-view.js';
import { ChoiceFilter, DayFilters, Filters, hasFilters } from '@dashboard/shared/lists/filters.js';
import { EmptyHint, ExportButton, ListView, NextStep } from '@dashboard/shared/lists/list-view.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { useCan } from '@dashboard/shared/session/session.js';
import { readFirstDay, readLastDay } from '@dashboard/shared/text/days.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MONEY_TEXTS } from '../parts/texts.js';
import { linkCause, listMovementColumns } from './movement-columns.js';

const PATH = '/v1/merchants/me/balance/movements';
const FILE_PATH = '/v1/merchants/me/balance/statement';
type Query = MerchantQuery<typeof PATH>;

/** The first day of this month. */
const chooseFirstDay = (): string => findDay(Date.now()).replace(/\d\d$/, '01');

export function Statement(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const environment = useEnvironment();
  const canReadPayouts = useCan()('read_payouts');
  const { cursor, ...search } = useSearch({ from: '/signed-in/balance' });
  const { account, from: firstDay, to: lastDay } = search;
  const navigate = useNavigate({ from: '/balance' });
  const query = { environment, account, from: readFirstDay(firstDay), to: readLastDay(lastDay) };
  const save = (): Promise<void> => {
    const from = firstDay ?? chooseFirstDay();
    const days = { from: readFirstDay(from), to: readLastDay(lastDay) };
    return downloadCsv(FILE_PATH, { environment, ...days }, `statement-${from}.csv`);
  };
  return (
    <Section title={texts.statement} actions={<ExportButton onExport={save} />}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {texts.statementHelp}
        </Text>
        <ListView
          label={texts.statement}
          queryKey={['balance', 'movements', query]}
          load={(from) =>
            unwrap(api.GET(PATH, { params: { query: { ...query, cursor: from } as Query } }))
          }
          columns={listMovementColumns(texts)}
          rowKey={({ id }) => id}
          rowLink={(row, content) => linkCause(row, content, canReadPayouts)}
          filters={<StatementFilters />}
          isFiltered={hasFilters(search)}
          empty={
            <EmptyHint title={texts.noMovements} help={texts.noMovementsHelp}>
              <NextStep to="/payments" name={texts.payments} permission="read_payments" />
            </EmptyHint>
          }
          cursor={cursor}
          onCursor={(next) => void navigate({ search: (former) => ({ ...former, cursor: next }) })}
        />
      </Stack>
    </Section>
  );
}

function StatementFilters(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  return (
    <Filters>
      <ChoiceFilter
        name="account"
        label={texts.part}
        any={texts.anyPart}
        choices={Object.entries(texts.parts).map(([value, label]) => ({ value, label }))}
      />
      <DayFilters from={{ name: 'from', label: texts.from }} to={{ name: 'to', label: texts.to }} />
    </Filters>
  );
}
