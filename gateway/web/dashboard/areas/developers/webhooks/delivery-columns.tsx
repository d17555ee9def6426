// The columns of deliveries and of dead letters.
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import type { Column } from '@dashboard/shared/parts/list-table.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import type { DevelopersTexts } from '../texts.js';
import type { Explain } from './reasons.js';

export type Delivery = MerchantSchema['WebhookDelivery'];

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
