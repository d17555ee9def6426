// The API logs: requests with the keys of the merchant. The live log asks for new ones all the time.
import { Switch, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  api,
  downloadCsv,
  type MerchantQuery,
  type MerchantSchema,
} from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { hasFilters } from '@dashboard/shared/lists/filters.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import { EmptyHint, ExportButton, ListView, NextStep } from '@dashboard/shared/lists/list-view.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { linkLog } from '@dashboard/shared/lists/row-link.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { buildTimeColumn } from '@dashboard/shared/lists/time-column.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { readFirstDay, readLastDay } from '@dashboard/shared/text/days.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { DEVELOPERS_TEXTS, type DevelopersTexts } from '../parts/texts.js';
import { LogFilters } from './log-filters.js';

export type ApiLog = MerchantSchema['ApiLog'];

const PATH = '/v1/merchants/me/api-logs';
const FIRST_ERROR = 400;
const FIRST_FAULT = 500;

export function HttpStatus({ status }: { readonly status: number }): ReactNode {
  const tone = status >= FIRST_FAULT ? 'bad' : 'waiting';
  return (
    <StatusBadge
      status={String(status)}
      label={String(status)}
      tone={status >= FIRST_ERROR ? tone : 'good'}
    />
  );
}

export function listLogColumns({ logs }: DevelopersTexts): readonly Column<ApiLog>[] {
  return [
    { name: logs.request, render: ({ method, path }) => `${method} ${path}` },
    { name: logs.status, render: ({ status }) => <HttpStatus status={status} /> },
    { name: logs.code, render: ({ code }) => code ?? '—' },
    { name: logs.duration, render: ({ duration_ms: ms }) => `${ms} ms`, isNumber: true },
    { name: logs.key, render: ({ key }) => key ?? '—' },
    buildTimeColumn(logs.at, ({ at }) => at),
  ];
}

export function LogsView(): ReactNode {
  const texts = useTexts(DEVELOPERS_TEXTS);
  const { logs } = texts;
  const environment = useEnvironment();
  const { cursor, live, ...filters } = useSearch({ from: '/signed-in/api-logs' });
  const navigate = useNavigate({ from: '/api-logs' });
  const days = { from: readFirstDay(filters.from), to: readLastDay(filters.to) };
  const query = { ...filters, ...days, environment };
  const isLive = live === 'on' && cursor === undefined;
  const load = (from: string | undefined) =>
    unwrap(
      api.GET(PATH, {
        params: { query: { ...query, cursor: from } as unknown as MerchantQuery<typeof PATH> },
      }),
    );
  return (
    <Page
      title={logs.title}
      actions={
        <>
          <LiveSwitch isLive={isLive} />
          <ExportButton onExport={() => downloadCsv(PATH, query, 'api-logs.csv')} />
        </>
      }
    >
      <Text c="dimmed">{logs.about}</Text>
      <ListView
        label={logs.title}
        queryKey={['api-logs', query]}
        load={load}
        columns={listLogColumns(texts)}
        rowKey={({ id }) => id}
        rowLink={linkLog}
        filters={<LogFilters />}
        isFiltered={hasFilters(filters)}
        isLive={() => isLive}
        empty={
          <EmptyHint title={logs.none(environment)} help={logs.noneHelp}>
            <NextStep to="/api-keys" name={texts.keys.title} permission="read_keys" />
          </EmptyHint>
        }
        cursor={cursor}
        onCursor={(next) => void navigate({ search: (former) => ({ ...former, cursor: next }) })}
      />
    </Page>
  );
}

function LiveSwitch({ isLive }: { readonly isLive: boolean }): ReactNode {
  const { logs } = useTexts(DEVELOPERS_TEXTS);
  const navigate = useNavigate({ from: '/api-logs' });
  return (
    <Switch
      label={logs.live}
      checked={isLive}
      onChange={({ currentTarget: { checked } }) => {
        const live = checked ? 'on' : undefined;
        void navigate({ search: (former) => ({ ...former, cursor: undefined, live }) });
      }}
    />
  );
}
