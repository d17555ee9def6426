// The columns of deliveries and the filter by status, which several lists share.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import { ChoiceFilter } from '@dashboard/shared/lists/filters.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import { Money } from '@dashboard/shared/parts/money.js';
import partClasses from '@dashboard/shared/parts/parts.module.css';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { buildTimeColumn } from '@dashboard/shared/lists/time-column.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import type { Explain } from '@dashboard/shared/text/reasons.js';
import { DEVELOPERS_TEXTS, type DevelopersTexts } from '../parts/texts.js';
import { NextAttempt } from './next-attempt.js';

export type Delivery = MerchantSchema['WebhookDelivery'];

const STATUSES = ['pending', 'delivered', 'dead'] as const;

export function listDeliveryColumns(
  { webhooks }: DevelopersTexts,
  explain: Explain,
): readonly Column<Delivery>[] {
  return [
    { name: webhooks.type, render: ({ type }) => type },
    {
      name: webhooks.status,
      render: (delivery) => (
        <>
          <StatusBadge status={delivery.status} label={webhooks.statuses[delivery.status]} />
          {delivery.status !== 'delivered' && delivery.reason !== null && (
            <Text size="xs" c="dimmed" component="div">
              {explain(delivery).title}
            </Text>
          )}
        </>
      ),
    },
    { name: webhooks.attempts, render: ({ attempts }) => attempts, isNumber: true },
    buildTimeColumn(webhooks.created, ({ created_at: at }) => at),
    {
      name: webhooks.nextAttempt,
      render: ({ next_attempt_at: at }) => <NextAttempt at={at} />,
    },
  ];
}

/** The payment or payout that a delivery is about. One of a test event does not exist, so it has no amount. */
export function listSubjectColumns({ webhooks }: DevelopersTexts): readonly Column<Delivery>[] {
  return [
    {
      name: webhooks.payment,
      render: ({ payment_id: payment, payout_id: payout, reference_id: reference }) => (
        <>
          {reference !== null && <span className={partClasses.address}>{reference}</span>}
          <Text size="xs" c="dimmed" ff="monospace" component="div" className={partClasses.whole}>
            {payment ?? payout}
          </Text>
        </>
      ),
    },
    {
      name: webhooks.amount,
      isNumber: true,
      render: ({ amount, currency }) =>
        amount === null || currency === null ? '—' : <Money minor={amount} currency={currency} />,
    },
  ];
}

export function StatusFilter(): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  return (
    <ChoiceFilter
      name="status"
      label={webhooks.status}
      any={webhooks.anyStatus}
      choices={STATUSES.map((value) => ({ value, label: webhooks.statuses[value] }))}
    />
  );
}
