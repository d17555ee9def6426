// The audit log, with what each entry changed.
import { Box, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { adminApi, type AdministratorSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { TextFilter } from '@dashboard/shared/parts/filters.js';
import type { Column } from '@dashboard/shared/parts/list-table.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { AdminList, type ListQuery } from '../parts/admin-list.js';
import { TextLink } from '../parts/links.js';
import { AUDIT_TEXTS } from './audit-texts.js';
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
  const texts = useTexts(AUDIT_TEXTS);
  return [
    { name: texts.at, render: ({ at }) => <When at={at} /> },
    {
      name: texts.who,
      render: ({ email, actor, address }) => (
        <Cell widthPx={180}>
          {email ?? actor}
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
          {action}
          <br />
          <TextLink to="/admin/audit-log" search={{ target }} ff="monospace" size="xs">
            {target}
          </TextLink>
        </Cell>
      ),
    },
    {
      name: texts.change,
      render: ({ before, after }) => (
        <Cell widthPx={280}>
          <Changes before={before} after={after} />
        </Cell>
      ),
    },
  ];
}

export function AuditView(): ReactNode {
  const texts = useTexts(AUDIT_TEXTS);
  const load = (query: ListQuery) => unwrap(adminApi.GET(PATH, { params: { query } }));
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
            <TextFilter name="actor" label={texts.actorId} placeholder="usr_…" />
            <TextFilter name="target" label={texts.targetId} placeholder="mer_…" />
          </>
        }
        empty={texts.noEntries}
        emptyHelp={texts.noEntriesHelp}
      />
    </Page>
  );
}
