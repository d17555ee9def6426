// The filters of the payments.
import type { ReactNode } from 'react';
import {
  AmountFilter,
  ChoiceFilter,
  DayFilters,
  Filters,
  TextFilter,
} from '@dashboard/shared/lists/filters.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { useMethodChoices } from '@dashboard/shared/text/method-names.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { MONEY_TEXTS } from '../parts/texts.js';
import { MARKS } from '@dashboard/shared/parts/payment-status.js';

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
        name="payment_method"
        label={texts.method}
        any={texts.anyMethod}
        choices={useMethodChoices()}
      />
      <AmountFilter name="amount_from" label={texts.amountFrom} />
      <AmountFilter name="amount_to" label={texts.amountTo} />
      <DayFilters
        from={{ name: 'created_from', label: texts.from }}
        to={{ name: 'created_to', label: texts.to }}
      />
      <ChoiceFilter
        name="mark"
        label={texts.mark}
        any={texts.anyMark}
        choices={MARKS.map((value) => ({ value, label: status[value] }))}
      />
    </Filters>
  );
}
