// The filters of the payments.
import type { ReactNode } from 'react';
import { ChoiceFilter, DayFilters, Filters, TextFilter } from '@dashboard/shared/parts/filters.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { MONEY_TEXTS } from '../texts.js';

const STATUSES = ['pending', 'paid', 'failed', 'cancelled', 'refunded'] as const;

export function PaymentFilters(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const { status } = useTexts(SHARED_TEXTS);
  return (
    <Filters>
      <TextFilter
        name="q"
        label={texts.search}
        type="search"
        placeholder={texts.searchPlaceholder}
      />
      <ChoiceFilter
        name="status"
        label={texts.status}
        any={texts.anyStatus}
        choices={STATUSES.map((value) => ({ value, label: status[value] }))}
      />
      <DayFilters
        from={{ name: 'created_from', label: texts.from }}
        to={{ name: 'created_to', label: texts.to }}
      />
    </Filters>
  );
}
