// The columns of deliveries and the filter by status, which several lists share.
import type { ReactNode } from 'react';
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import { ChoiceFilter } from '@dashboard/shared/parts/filters.js';
import type { Column } from '@dashboard/shared/parts/list-table.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import type { Explain } from '@dashboard/shared/text/reasons.js';
import { DEVELOPERS_TEXTS, type DevelopersTexts } from '../texts.js';

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
      render: ({ status }) => <StatusBadge status={status} label={webhooks.statuses[status]} />,
    },
    { name: webhooks.attempts, render: ({ attempts }) => attempts, isNumber: true },
    {
      name: webhooks.reason,
      render: (delivery) => (delivery.status === 'delivered' ? '—' : explain(delivery).title),
    },
    { name: webhooks.created, render: ({ created_at: at }) => <When at={at} /> },
    {
      name: webhooks.nextAttempt,
      render: ({ next_attempt_at: at }) => <When at={at} isRelative />,
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
