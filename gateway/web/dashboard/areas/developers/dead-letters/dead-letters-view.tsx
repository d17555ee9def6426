// Dead letters: deliveries without further attempts. Each can be sent again or dropped, and all that match the filters can
// be sent again together.
import { Button, Group, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, type MerchantQuery } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { hasFilters } from '@dashboard/shared/lists/filters.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import { EmptyHint, ListView, NextStep } from '@dashboard/shared/lists/list-view.js';
import { Address } from '@dashboard/shared/parts/address.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { linkDelivery } from '@dashboard/shared/lists/row-link.js';
import { buildTimeColumn } from '@dashboard/shared/lists/time-column.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { useCan } from '@dashboard/shared/session/session.js';
import { readFirstDay, readLastDay } from '@dashboard/shared/text/days.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { type Explain, useExplain } from '@dashboard/shared/text/reasons.js';
import { DEVELOPERS_TEXTS, type DevelopersTexts } from '../parts/texts.js';
import { type Delivery, listSubjectColumns } from '../webhooks/delivery-columns.js';
import { SUBJECT_FILTERS } from '../webhooks/delivery-filters.js';
import { DeadLetterFilters } from './dead-letter-filters.js';
import { DropDialog, ReplayDialog } from '../webhooks/letter-dialogs.js';
import { ReplayAll } from './replay-all.js';
import { ReplayProgress } from './replay-progress.js';

const PATH = '/v1/merchants/me/webhooks/dlq';

interface LetterAction {
  readonly kind: 'replay' | 'drop';
  readonly delivery: Delivery;
}

function listColumns(
  texts: DevelopersTexts,
  explain: Explain,
  onAction: ((action: LetterAction) => void) | null,
): readonly Column<Delivery>[] {
  const { webhooks, deadLetters } = texts;
  const buildButton = (kind: LetterAction['kind'], delivery: Delivery) => (
    <Button
      size="compact-sm"
      variant="subtle"
      color={kind === 'drop' ? 'red' : 'brand'}
      aria-label={`${deadLetters[kind]}: ${delivery.type}, ${delivery.id}`}
      onClick={() => {
        onAction?.({ kind, delivery });
      }}
    >
      {deadLetters[kind]}
    </Button>
  );
  const columns: readonly Column<Delivery>[] = [
    { name: webhooks.type, render: ({ type }) => type },
    ...listSubjectColumns(texts),
    {
      name: webhooks.reason,
      render: (delivery) => (
        <>
          {explain(delivery).title}
          <Text size="xs" c="dimmed" component="div">
            <Address url={delivery.url} />
          </Text>
        </>
      ),
    },
    { name: webhooks.attempts, render: ({ attempts }) => attempts, isNumber: true },
    buildTimeColumn(deadLetters.deadSince, ({ settled_at: at }) => at),
  ];
  if (onAction === null) return columns;
  const actions: Column<Delivery> = {
    name: webhooks.actions,
    render: (delivery) => (
      <Group gap={4}>
        {buildButton('replay', delivery)}
        {buildButton('drop', delivery)}
      </Group>
    ),
  };
  return [...columns, actions];
}

export function DeadLettersView(): ReactNode {
  const texts = useTexts(DEVELOPERS_TEXTS);
  const { deadLetters, webhooks } = texts;
  const explain = useExplain();
  const environment = useEnvironment();
  const canChange = useCan()('change_webhooks');
  const { cursor, replay, ...search } = useSearch({ from: '/signed-in/webhooks/dead-letters' });
  const navigate = useNavigate({ from: '/webhooks/dead-letters' });
  const [action, setAction] = useState<LetterAction | null>(null);
  const days = { from: readFirstDay(search.from), to: readLastDay(search.to) };
  const filter = { ...search, ...days, environment };
  const isAboutSubject = SUBJECT_FILTERS.some((name) => filter[name] !== undefined);
  const load = (from: string | undefined) => {
    const query = { ...filter, cursor: from } as MerchantQuery<typeof PATH>;
    return unwrap(api.GET(PATH, { params: { query } }));
  };
  const close = (): void => {
    setAction(null);
  };
  return (
    <Page
      title={deadLetters.title}
      actions={canChange && <ReplayAll filter={filter} isReady={!isAboutSubject} />}
    >
      <Text c="dimmed">{deadLetters.about}</Text>
      {replay !== undefined && <ReplayProgress replayId={replay} />}
      <ListView
        label={deadLetters.title}
        queryKey={['dead-letters', filter]}
        load={load}
        columns={listColumns(texts, explain, canChange ? setAction : null)}
        rowKey={({ id }) => id}
        rowLink={linkDelivery}
        filters={<DeadLetterFilters />}
        isFiltered={hasFilters(search)}
        empty={
          <EmptyHint title={deadLetters.none} help={deadLetters.noneHelp}>
            <NextStep
              to="/webhooks/deliveries"
              name={webhooks.deliveries}
              permission="read_webhooks"
            />
          </EmptyHint>
        }
        cursor={cursor}
        onCursor={(next) => void navigate({ search: (former) => ({ ...former, cursor: next }) })}
      />
      {action?.kind === 'replay' && <ReplayDialog delivery={action.delivery} onClose={close} />}
      {action?.kind === 'drop' && <DropDialog delivery={action.delivery} onClose={close} />}
    </Page>
  );
}
