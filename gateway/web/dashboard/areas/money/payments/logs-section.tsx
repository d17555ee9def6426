// The newest requests with API keys that were about a payment, each with a link to its bodies.
import { Code, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { DetailView, Section } from '@dashboard/shared/parts/detail-view.js';
import { type Column, ListTable } from '@dashboard/shared/lists/list-table.js';
import { linkLog, TextLink } from '@dashboard/shared/lists/row-link.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MONEY_TEXTS, type MoneyTexts } from '../parts/texts.js';
import type { Payment } from './payment-columns.js';

type ApiLog = MerchantSchema['ApiLog'];

const FIRST_ERROR = 400;

function listColumns(texts: MoneyTexts): readonly Column<ApiLog>[] {
  return [
    {
      name: texts.request,
      render: ({ method, path }) => (
        <Code>
          {method} {path}
        </Code>
      ),
    },
    {
      name: texts.answer,
      render: ({ status, code }) => (
        <StatusBadge
          status={String(status)}
          label={code === null ? String(status) : `${status} ${code}`}
          tone={status < FIRST_ERROR ? 'good' : 'bad'}
        />
      ),
    },
    { name: texts.time, render: ({ at }) => <When at={at} /> },
  ];
}

export function LogsSection({ payment }: { readonly payment: Payment }): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const { id, environment } = payment;
  const query = useQuery({
    queryKey: ['payment-logs', environment, id, payment.status],
    queryFn: () =>
      unwrap(
        api.GET('/v1/merchants/me/api-logs', {
          params: { query: { environment, payment_id: id } },
        }),
      ),
  });
  return (
    <Section
      title={texts.logs}
      actions={
        <TextLink to="/api-logs" search={{ payment_id: id }} size="sm">
          {texts.allLogs}
        </TextLink>
      }
    >
      <DetailView query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">{texts.noLogs}</Text>
          ) : (
            <ListTable
              label={texts.logs}
              rows={data}
              columns={listColumns(texts)}
              rowKey={(log) => log.id}
              rowLink={linkLog}
            />
          )
        }
      </DetailView>
    </Section>
  );
}
