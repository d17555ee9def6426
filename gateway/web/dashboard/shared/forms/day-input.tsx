// A field for a day. Browsers take years of five digits, and tell scripts that a day without its month or year is an empty text.
// Both are errors of the field.
import { TextInput, type TextInputProps } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { useDayRule } from './day-rule.js';

interface DayInputProps extends TextInputProps {
  /** `2026-12-31`, or an empty text. */
  readonly value?: string;
}

export function DayInput({
  value = '',
  error,
  onChange,
  onBlur,
  ...rest
}: DayInputProps): ReactNode {
  const { wholeDay } = useTexts(SHARED_TEXTS);
  const checkDay = useDayRule();
  const [isIncomplete, setIsIncomplete] = useState(false);
  return (
    <TextInput
      {...rest}
      type="date"
      value={value}
      error={isIncomplete ? wholeDay : (checkDay(value) ?? error)}
      onChange={(event) => {
        setIsIncomplete(false);
        onChange?.(event);
      }}
      onBlur={(event) => {
        setIsIncomplete(event.currentTarget.validity.badInput);
        onBlur?.(event);
      }}
    />
  );
}
