// A field for an amount of a currency without decimals. The person types digits and sees them grouped; the value is the
// digits, as the API takes them.
import { TextInput, type TextInputProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount } from '@dashboard/shared/text/format.js';
import { useLanguage } from '@dashboard/shared/text/language.js';

interface MoneyInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  readonly currency: string;
  /** Digits, or empty. */
  readonly value: string;
  readonly onChange: (digits: string) => void;
}

const MAX_DIGITS = 15;

export function MoneyInput({ currency, value, onChange, ...rest }: MoneyInputProps): ReactNode {
  const { language } = useLanguage();
  return (
    <TextInput
      {...rest}
      inputMode="numeric"
      autoComplete="off"
      leftSection={currency}
      leftSectionWidth={52}
      leftSectionPointerEvents="none"
      value={value === '' ? '' : formatCount(BigInt(value), language)}
      onChange={(event) => {
        const digits = event.currentTarget.value.replace(/\D/g, '').replace(/^0+/, '');
        onChange(digits.slice(0, MAX_DIGITS));
      }}
    />
  );
}
