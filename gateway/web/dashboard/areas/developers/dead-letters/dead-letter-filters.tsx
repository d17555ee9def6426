// The filters of dead letters.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ChoiceFilter, DayFilters, Filters } from '@dashboard/shared/parts/filters.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { FAILURES, useExplain } from '@dashboard/shared/text/reasons.js';
import { DEVELOPERS_TEXTS } from '../texts.js';
import { EVENT_TYPES } from '../event-types.js';

export function DeadLetterFilters(): ReactNode {
  const { webhooks, deadLetters } = useTexts(DEVELOPERS_TEXTS);
  const environment = useEnvironment();
  const explain = useExplain();
  const { data: endpoints } = useQuery({
    queryKey: ['webhooks', environment, undefined],
    queryFn: () =>
      unwrap(api.GET('/v1/merchants/me/webhooks', { params: { query: { environment } } })),
  });
  return (
    <Filters kept="replay">
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
      <DayFilters
        from={{ name: 'from', label: deadLetters.from }}
        to={{ name: 'to', label: deadLetters.to }}
      />
    </Filters>
  );
}
