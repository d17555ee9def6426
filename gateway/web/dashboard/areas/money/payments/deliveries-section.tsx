// The webhook deliveries of the events of a payment.
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { DetailView, Section } from '@dashboard/shared/parts/detail-view.js';
import { type Column, ListTable } from '@dashboard/shared/parts/list-table.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MONEY_TEXTS, type MoneyTexts } from '../texts.js';
import type { Payment } from './payment-columns.js';

type Delivery = MerchantSchema['WebhookDelivery'];

const REFRESH_MS = 5_000;

function listColumns(texts: MoneyTexts): readonly Column<Delivery>[] {
  return [
    { name: texts.event, render: ({ type }) => type },
    {
      name: texts.status,
      render: ({ status, meaning }) => (
        <>
          <StatusBadge status={status} />
          {meaning !== null && (
            <Text size="xs" c="dimmed">
              {meaning}
            </Text>
          )}
        </>
      ),
    },
    { name: texts.endpoint, render: ({ url }) => url },
    { name: texts.attempts, isNumber: true, render: ({ attempts }) => attempts },
    { name: texts.created, render: ({ created_at: at }) => <When at={at} /> },
  ];
}

export function DeliveriesSection({ payment }: { readonly payment: Payment }): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const { id, environment } = payment;
  const query = useQuery({
    queryKey: ['payment-deliveries', environment, id],
    queryFn: () =>
      unwrap(
        api.GET('/v1/merchants/me/webhooks/deliveries', {
          params: { query: { environment, payment_id: id } },
        }),
      ),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Section title={texts.deliveries}>
      <DetailView query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">{texts.noDeliveries}</Text>
          ) : (
            <ListTable
              label={texts.deliveries}
              rows={data}
              columns={listColumns(texts)}
              rowKey={(delivery) => delivery.id}
            />
          )
        }
      </DetailView>
    </Section>
  );
}
