// A calendar in the language of the page. Its weeks begin on Monday.
import { DatePicker, DatesProvider } from '@mantine/dates';
import '@mantine/dates/styles.css';
import 'dayjs/locale/id';
import type { ReactNode } from 'react';
import { useLanguage, useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';

interface CalendarProps {
  /** `2026-12-31`; null: no day is chosen. */
  readonly value: string | null;
  readonly onChosen: (day: string) => void;
}

// Loaded when a person opens it, which takes a default export.
export default function Calendar({ value, onChosen }: CalendarProps): ReactNode {
  const { language } = useLanguage();
  const { calendar } = useTexts(SHARED_TEXTS);
  return (
    // Without weekends: their red has too little contrast.
    <DatesProvider settings={{ locale: language, firstDayOfWeek: 1, weekendDays: [] }}>
      <DatePicker
        value={value}
        {...(value === null ? {} : { defaultDate: value })}
        ariaLabels={calendar}
        // Days of other months have too little contrast.
        hideOutsideDates
        onChange={(day) => {
          if (day !== null) onChosen(day);
        }}
      />
    </DatesProvider>
  );
}
