// The events of a payment in their order, from its creation to what comes next.
import { Text, Timeline } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { DetailView, Section } from '@dashboard/shared/parts/detail-view.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { When } from '@dashboard/shared/parts/when.js';
import partClasses from '@dashboard/shared/parts/parts.module.css';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MONEY_TEXTS, type MoneyTexts } from '../parts/texts.js';
import type { Payment } from './payment-columns.js';

type Event = MerchantSchema['Event'];

interface Moment {
  readonly key: string;
  readonly title: string;
  readonly at: string;
  readonly amount: string | null;
}

function findTitle({ events }: MoneyTexts, type: string): string {
  const titles: Readonly<Record<string, string>> = events;
  return titles[type] ?? type;
}

/** The refunds of the payment that are chargebacks. The query is that of the section of refunds. */
function useChargebacks({ id, environment, charged_back_amount: amount }: Payment) {
  const { data } = useQuery({
    queryKey: ['payment-refunds', environment, id],
    queryFn: () =>
      unwrap(
        api.GET('/v1/merchants/me/refunds', { params: { query: { environment, payment_id: id } } }),
      ),
    enabled: amount !== undefined,
  });
  const found = data?.data.filter(({ origin }) => origin === 'chargeback') ?? [];
  return new Set(found.map((refund) => refund.id));
}

/** An event with the type by which the timeline calls it. */
const nameEvent = ({ type, data }: Event, chargebacks: ReadonlySet<string>): string =>
  'refund_id' in data && data.refund_id !== undefined && chargebacks.has(data.refund_id)
    ? 'charged_back'
    : type;

function listMoments(
  texts: MoneyTexts,
  payment: Payment,
  events: readonly Event[],
  chargebacks: ReadonlySet<string>,
): Moment[] {
  const created = {
    key: 'created',
    title: texts.events.created,
    at: payment.created_at,
    amount: null,
  };
  const happened = events.map((event) => {
    const { id, created_at: at, data } = event;
    return {
      key: id,
      title: findTitle(texts, nameEvent(event, chargebacks)),
      at,
      amount: 'refund_amount' in data ? (data.refund_amount ?? null) : null,
    };
  });
  return [created, ...happened];
}

export function PaymentTimeline({ payment }: { readonly payment: Payment }): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const { id, environment, status } = payment;
  const chargebacks = useChargebacks(payment);
  const query = useQuery({
    queryKey: ['payment-events', environment, id, status, payment.refunded_amount],
    queryFn: () =>
      unwrap(
        api.GET('/v1/merchants/me/payments/{payment_id}/events', {
          params: { path: { payment_id: id }, query: { environment } },
        }),
      ),
  });
  return (
    <Section title={texts.timeline}>
      <DetailView query={query}>
        {({ data }) => {
          const moments = listMoments(texts, payment, data, chargebacks);
          const next = status === 'pending' ? [payment.expires_at] : [];
          return (
            <Timeline
              active={moments.length - 1}
              bulletSize={14}
              lineWidth={2}
              classNames={{ itemTitle: partClasses.lineTitle }}
            >
              {moments.map((moment) => (
                <Timeline.Item key={moment.key} title={moment.title}>
                  {moment.amount !== null && (
                    <Text size="sm">
                      <Money minor={moment.amount} currency={payment.currency} />
                    </Text>
                  )}
                  <Text size="sm" c="dimmed">
                    <When at={moment.at} />
                  </Text>
                </Timeline.Item>
              ))}
              {next.map((at) => (
                <Timeline.Item key="expires" title={texts.events.expires} lineVariant="dashed">
                  <Text size="sm" c="dimmed">
                    <When at={at} isRelative />
                  </Text>
                </Timeline.Item>
              ))}
            </Timeline>
          );
        }}
      </DetailView>
    </Section>
  );
}
