// An amount in whole rupiah. Its value is what the API takes: digits, or an empty text.
import { NumberInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLanguage } from '@dashboard/shared/text/language.js';

interface AmountInputProps {
  readonly label: string;
  readonly description?: string;
  readonly value?: string;
  readonly onChange: (value: string) => void;
  readonly error?: ReactNode;
  readonly required?: boolean;
}

export function AmountInput({ onChange, ...props }: AmountInputProps): ReactNode {
  const { language } = useLanguage();
  const [thousands, decimals] = language === 'id' ? ['.', ','] : [',', '.'];
  return (
    <NumberInput
      {...props}
      onChange={(value) => {
        onChange(String(value));
      }}
      prefix="Rp "
      thousandSeparator={thousands}
      decimalSeparator={decimals}
      allowDecimal={false}
      allowNegative={false}
      allowLeadingZeros={false}
      hideControls
      inputMode="numeric"
    />
  );
}
