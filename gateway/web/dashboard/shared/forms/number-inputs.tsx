// Fields for whole numbers. A person types or pastes a number in any usual form; the value is its digits, as the API takes
// them. A text that is no whole number stays the value, so that it is refused and never sent as another number.
import { TextInput, type TextInputProps } from '@mantine/core';
import { findSymbol, groupThousands } from '@core/money.js';
import { readWrittenNumber } from '@core/written-number.js';
import { type ReactNode, useState } from 'react';
import { formatCount } from '@dashboard/shared/text/format.js';
import { type Language, useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';

interface NumberInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  readonly value?: string;
  readonly onChange: (value: string) => void;
  /** Amounts are written alike in every language; other numbers follow it. */
  readonly isAmount?: boolean;
}

const PREFIX_WIDTH = 52;

/** Also true of an empty text, which the API judges. */
export const isWholeNumber = (value: string): boolean => value === '' || isDigits(value);

const isDigits = (value: string): boolean => readWrittenNumber(value) === value;

function formatDigits(value: string, isAmount: boolean, language: Language): string {
  if (!isDigits(value)) return value;
  return isAmount ? groupThousands(value) : formatCount(BigInt(value), language);
}

/** The text of a person stays as it is until the field loses the focus, which groups its digits. */
export function WholeNumberInput({
  value = '',
  onChange,
  error,
  isAmount = false,
  ...rest
}: NumberInputProps): ReactNode {
  const { language } = useLanguage();
  const format = (digits: string): string => formatDigits(digits, isAmount, language);
  const { wholeNumber } = useTexts(SHARED_TEXTS);
  const [shown, setShown] = useState({ value, text: format(value) });
  const [isFocused, setIsFocused] = useState(false);
  // The form was filled or emptied meanwhile.
  if (shown.value !== value) setShown({ value, text: format(value) });
  const fault = isFocused || isWholeNumber(value) ? error : wholeNumber;
  return (
    <TextInput
      autoComplete="off"
      inputMode="numeric"
      {...rest}
      error={fault}
      value={shown.text}
      onChange={({ currentTarget: { value: text } }) => {
        const next = readWrittenNumber(text) ?? text.trim();
        setShown({ value: next, text });
        onChange(next);
      }}
      onFocus={() => {
        setIsFocused(true);
      }}
      onBlur={() => {
        setIsFocused(false);
        setShown({ value, text: format(value) });
      }}
    />
  );
}

/** An amount in minor units of a currency without decimals. */
export function AmountInput({
  currency = 'IDR',
  ...rest
}: NumberInputProps & { readonly currency?: string }): ReactNode {
  return (
    <WholeNumberInput
      isAmount
      leftSection={findSymbol(currency)}
      leftSectionWidth={PREFIX_WIDTH}
      leftSectionPointerEvents="none"
      {...rest}
    />
  );
}
