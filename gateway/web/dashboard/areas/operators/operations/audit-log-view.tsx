// The audit log, with what each entry changed.
import { Box, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { adminApi, type AdministratorSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import {
  ChoiceFilter,
  DayFilters,
  TextFilter,
  useFilters,
} from '@dashboard/shared/lists/filters.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { buildTimeColumn } from '@dashboard/shared/lists/time-column.js';
import { readFirstDay, readLastDay } from '@dashboard/shared/text/days.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { AdminList, type ListQuery } from '../parts/admin-list.js';
import { TextLink } from '../parts/links.js';
import { RawRow } from '../parts/raw-row.js';
import { administratorsQuery } from './administrator-name.js';
import { AuditTarget } from './audit-target.js';
import { AUDIT_TEXTS } from './audit-texts.js';
import { useAuditWords } from './audit-words.js';
import { Changes } from './changes.js';

type Entry = AdministratorSchema['AuditEntry'];

const PATH = '/v1/admin/audit-log';

interface CellProps {
  readonly widthPx: number;
  readonly children: ReactNode;
}

/** Ids and values break anywhere, so a cell without a width of its own could become one letter wide. */
function Cell({ widthPx, children }: CellProps): ReactNode {
  return (
    <Box miw={{ base: 0, sm: widthPx }} style={{ overflowWrap: 'anywhere' }}>
      {children}
    </Box>
  );
}

function useColumns(): readonly Column<Entry>[] {
  const words = useAuditWords();
  const texts = useTexts(AUDIT_TEXTS);
  return [
    buildTimeColumn(texts.at, ({ at }) => at),
    {
      name: texts.who,
      render: ({ email, actor, address }) => (
        <Cell widthPx={180}>
          <TextLink
            to="/admin/audit-log"
            search={{ actor }}
            aria-label={texts.ownEntries(email ?? actor)}
          >
            {email ?? actor}
          </TextLink>
          {address !== null && (
            <Text size="xs" c="dimmed">
              {address}
            </Text>
          )}
        </Cell>
      ),
    },
    {
      name: texts.action,
      render: ({ action, target }) => (
        <Cell widthPx={210}>
          {words.action(action)}
          <br />
          <AuditTarget target={target} />
        </Cell>
      ),
    },
    {
      name: texts.change,
      render: (entry) => (
        <Cell widthPx={280}>
          <Changes before={entry.before} after={entry.after} />
          <RawRow row={entry} />
        </Cell>
      ),
    },
  ];
}

export function AuditView(): ReactNode {
  const texts = useTexts(AUDIT_TEXTS);
  const load = (filters: ListQuery) => {
    const days = { from: readFirstDay(filters['from']), to: readLastDay(filters['to']) };
    const query: ListQuery = { ...filters, ...days };
    return unwrap(adminApi.GET(PATH, { params: { query } }));
  };
  return (
    <Page title={texts.audit}>
      <AdminList
        label={texts.audit}
        name="audit-log"
        load={load}
        columns={useColumns()}
        rowKey={({ id }) => id}
        filters={
          <>
            <PersonFilter />
            <ActionFilter />
            <TextFilter name="target" label={texts.targetId} placeholder="mer_…" />
            <DayFilters
              from={{ name: 'from', label: texts.from }}
              to={{ name: 'to', label: texts.to }}
            />
          </>
        }
        empty={texts.noEntries}
        emptyHelp={texts.noEntriesHelp}
      />
    </Page>
  );
}

/** Administrators by their address. The address of the view may name a user of a merchant, who is in no list. */
function PersonFilter(): ReactNode {
  const texts = useTexts(AUDIT_TEXTS);
  const { values } = useFilters();
  const { data } = useQuery(administratorsQuery);
  const listed = (data?.data ?? []).map(({ id, email }) => ({ value: id, label: email }));
  const { actor } = values;
  const isListed = actor === undefined || listed.some(({ value }) => value === actor);
  return (
    <ChoiceFilter
      name="actor"
      label={texts.who}
      any={texts.anyone}
      choices={isListed ? listed : [...listed, { value: actor, label: actor }]}
    />
  );
}

function ActionFilter(): ReactNode {
  const texts = useTexts(AUDIT_TEXTS);
  const { actions } = useAuditWords();
  return (
    <ChoiceFilter
      name="action"
      label={texts.action}
      any={texts.anyAction}
      choices={actions}
      isSearchable
    />
  );
}
