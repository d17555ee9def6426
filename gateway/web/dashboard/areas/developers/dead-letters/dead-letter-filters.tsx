// The filters of dead letters.
import type { ReactNode } from 'react';
import { DayFilters, Filters } from '@dashboard/shared/lists/filters.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';
import { EventFilters, SubjectFilters } from '../webhooks/delivery-filters.js';

export function DeadLetterFilters(): ReactNode {
  const { deadLetters } = useTexts(DEVELOPERS_TEXTS);
  return (
    <Filters kept="replay">
      <SubjectFilters />
      <EventFilters />
      <DayFilters
        from={{ name: 'from', label: deadLetters.from }}
        to={{ name: 'to', label: deadLetters.to }}
      />
    </Filters>
  );
}
