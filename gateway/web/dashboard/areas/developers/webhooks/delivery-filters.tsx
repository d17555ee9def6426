// Filters of deliveries and dead letters: the payment or payout that they are about, the endpoint, the event, the reason.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { AmountFilter, ChoiceFilter, TextFilter } from '@dashboard/shared/lists/filters.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { FAILURES, useExplain } from '@dashboard/shared/text/reasons.js';
import { EVENT_TYPES } from '../parts/event-types.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';

/** The names of these filters in the address and in the API. */
export const SUBJECT_FILTERS = ['payment_id', 'reference_id', 'amount'] as const;

export function SubjectFilters(): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  return (
    <>
      <TextFilter name="payment_id" label={webhooks.payment} type="search" placeholder="pay_…" />
      <TextFilter name="reference_id" label={webhooks.reference} type="search" />
      <AmountFilter name="amount" label={webhooks.amount} />
    </>
  );
}

export function EventFilters(): ReactNode {
  const { webhooks, deadLetters } = useTexts(DEVELOPERS_TEXTS);
  const environment = useEnvironment();
  const explain = useExplain();
  const { data: endpoints } = useQuery({
    queryKey: ['webhooks', environment, undefined],
    queryFn: () =>
      unwrap(api.GET('/v1/merchants/me/webhooks', { params: { query: { environment } } })),
  });
  return (
    <>
      <ChoiceFilter
        name="type"
        label={webhooks.type}
        any={webhooks.anyType}
        choices={EVENT_TYPES.map((value) => ({ value, label: value }))}
      />
      <ChoiceFilter
        name="reason"
        label={webhooks.reason}
        any={deadLetters.anyReason}
        choices={FAILURES.map((value) => ({
          value,
          label: explain({ reason: value, meaning: null }).title,
        }))}
      />
      <ChoiceFilter
        name="endpoint_id"
        label={webhooks.endpoint}
        any={deadLetters.anyEndpoint}
        choices={(endpoints?.data ?? []).map(({ id, url }) => ({ value: id, label: url }))}
      />
    </>
  );
}
