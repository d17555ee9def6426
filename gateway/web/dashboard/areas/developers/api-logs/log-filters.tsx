// The filters of the API logs.
import type { ReactNode } from 'react';
import { ChoiceFilter, DayFilters, Filters, TextFilter } from '@dashboard/shared/lists/filters.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const STATUSES = [
  ...(['200', '201', '204', '400', '401', '403', '404', '409', '422', '429'] as const),
  ...(['500', '503'] as const),
];

export function LogFilters(): ReactNode {
  const { logs } = useTexts(DEVELOPERS_TEXTS);
  return (
    <Filters kept="live">
      <TextFilter name="path" label={logs.path} type="search" placeholder="/v1/payments" />
      <ChoiceFilter
        name="method"
        label={logs.method}
        any={logs.anyMethod}
        choices={METHODS.map((value) => ({ value, label: value }))}
      />
      <ChoiceFilter
        name="status"
        label={logs.status}
        any={logs.anyStatus}
        choices={STATUSES.map((value) => ({ value, label: value }))}
      />
      <TextFilter name="request_id" label={logs.requestId} type="search" placeholder="req_…" />
      <TextFilter name="payment_id" label={logs.payment} type="search" placeholder="pay_…" />
      <DayFilters from={{ name: 'from', label: logs.from }} to={{ name: 'to', label: logs.to }} />
    </Filters>
  );
}
