// The newest webhook deliveries of the events of a payment, each with a link to its request and answer.
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { DetailView, Section } from '@dashboard/shared/parts/detail-view.js';
import { type Column, ListTable } from '@dashboard/shared/lists/list-table.js';
import { linkDelivery, TextLink } from '@dashboard/shared/lists/row-link.js';
import { EventTo } from '@dashboard/shared/parts/address.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { type Explain, useExplain } from '@dashboard/shared/text/reasons.js';
import { MONEY_TEXTS, type MoneyTexts } from '../parts/texts.js';
import type { Payment } from './payment-columns.js';

type Delivery = MerchantSchema['WebhookDelivery'];

const REFRESH_MS = 10_000;

function listColumns(texts: MoneyTexts, explain: Explain): readonly Column<Delivery>[] {
  return [
    {
      name: texts.event,
      render: ({ type, url }) => <EventTo type={type} url={url} />,
    },
    {
      name: texts.status,
      render: (delivery) => (
        <>
          <StatusBadge
            status={delivery.status}
            {...(delivery.status === 'pending' ? { label: texts.waiting } : {})}
          />
          {delivery.status !== 'delivered' && delivery.reason !== null && (
            <Text size="xs" c="dimmed">
              {explain(delivery).meaning}
            </Text>
          )}
        </>
      ),
    },
    { name: texts.attempts, isNumber: true, render: ({ attempts }) => attempts },
    { name: texts.created, render: ({ created_at: at }) => <When at={at} /> },
  ];
}

export function DeliveriesSection({ payment }: { readonly payment: Payment }): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const explain = useExplain();
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
    <Section
      title={texts.deliveries}
      actions={
        <TextLink to="/webhooks/deliveries" search={{ payment_id: id }} size="sm">
          {texts.allDeliveries}
        </TextLink>
      }
    >
      <DetailView query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">{texts.noDeliveries}</Text>
          ) : (
            <ListTable
              label={texts.deliveries}
              rows={data}
              columns={listColumns(texts, explain)}
              rowKey={(delivery) => delivery.id}
              rowLink={linkDelivery}
            />
          )
        }
      </DetailView>
    </Section>
  );
}
