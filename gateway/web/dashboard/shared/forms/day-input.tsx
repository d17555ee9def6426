// A field for a day. It shows and takes days in the language of the page, which the date fields of browsers do not: they follow
// the browser. A person types a day in any usual form, or chooses it in a calendar, which is loaded when it is first opened. The
// value is `2026-12-31`. A text that is no day stays the value, so that it is refused and never taken for an empty field.
import { ActionIcon, Popover, TextInput, type TextInputProps } from '@mantine/core';
import CalendarDays from 'lucide-react/icons/calendar-days';
import { lazy, type ReactNode, useState } from 'react';
import { OptionalPart } from '../faults/optional-part.js';
import { isDay, readWrittenDay } from '../text/days.js';
import { formatDay } from '../text/format.js';
import { type Language, useLanguage, useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';

const Calendar = lazy(() => import('./calendar.js'));
const ICON_SIZE = 16;

interface DayInputProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type'> {
  /** `2026-12-31`, or an empty text. */
  readonly value?: string;
  readonly onChange: (value: string) => void;
}

interface Shown {
  readonly value: string;
  readonly text: string;
  readonly language: Language;
}

/** The text of a person stays as it is until the field loses the focus. */
export function DayInput({ value = '', onChange, error, ...rest }: DayInputProps): ReactNode {
  const { language } = useLanguage();
  const { wholeDay, dayForm } = useTexts(SHARED_TEXTS);
  const write = (day: string): Shown => ({ value: day, text: formatDay(day, language), language });
  const [shown, setShown] = useState(() => write(value));
  const [isFocused, setIsFocused] = useState(false);
  // The form was filled or emptied, or the language changed meanwhile.
  if (shown.value !== value || shown.language !== language) setShown(write(value));
  return (
    <TextInput
      autoComplete="off"
      placeholder={dayForm}
      {...rest}
      error={isFocused || isDay(value) ? error : wholeDay}
      value={shown.text}
      rightSection={
        <CalendarButton
          value={value}
          onChosen={(day) => {
            setShown(write(day));
            onChange(day);
          }}
        />
      }
      onChange={({ currentTarget: { value: text } }) => {
        const next = readWrittenDay(text) ?? text.trim();
        setShown({ value: next, text, language });
        onChange(next);
      }}
      onFocus={(event) => {
        setIsFocused(true);
        rest.onFocus?.(event);
      }}
      onBlur={(event) => {
        setIsFocused(false);
        setShown(write(value));
        rest.onBlur?.(event);
      }}
    />
  );
}

interface CalendarButtonProps {
  readonly value: string;
  readonly onChosen: (day: string) => void;
}

function CalendarButton({ value, onChosen }: CalendarButtonProps): ReactNode {
  const { chooseDay } = useTexts(SHARED_TEXTS);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={chooseDay}
          onClick={() => {
            setIsOpen(!isOpen);
          }}
        >
          <CalendarDays size={ICON_SIZE} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <OptionalPart>
          <Calendar
            value={isDay(value) && value !== '' ? value : null}
            onChosen={(day) => {
              setIsOpen(false);
              onChosen(day);
            }}
          />
        </OptionalPart>
      </Popover.Dropdown>
    </Popover>
  );
}
