// Filters of a list. They are kept in the address: a change replaces it and begins at the first page.
import { Button, Select, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { DayInput } from '../forms/day-input.js';
import { AmountInput } from '../forms/number-inputs.js';
import { findPeriod, isDay, PERIODS } from '../text/days.js';
import { useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';
import classes from './list.module.css';

/** Reads and changes the filters in the address of the view. */
export function useFilters(kept?: string): {
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly change: (name: string, value: string | undefined) => void;
  readonly changeAll: (changed: Readonly<Record<string, string | undefined>>) => void;
  readonly clear: () => void;
} {
  const values: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const show = (search: Record<string, string | undefined>): void => {
    void navigate({ to: '.', search: search as never, replace: true });
  };
  return {
    values,
    change: (name, value) => {
      show({ ...values, cursor: undefined, [name]: value === '' ? undefined : value });
    },
    changeAll: (changed) => {
      show({ ...values, cursor: undefined, ...changed });
    },
    clear: () => {
      const stays = kept === undefined ? {} : { [kept]: values[kept] };
      show({ environment: values['environment'], ...stays });
    },
  };
}

/** Whether the search part of an address has a filter. */
export function hasFilters(search: object, kept?: string): boolean {
  return Object.entries(search).some(
    ([name, value]) => !['environment', 'cursor', kept].includes(name) && value !== undefined,
  );
}

interface FiltersProps {
  readonly children: ReactNode;
  /** A part of the address that is no filter. It stays when the filters are cleared. */
  readonly kept?: string;
}

export function Filters({ children, kept }: FiltersProps): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  const { values, clear } = useFilters(kept);
  return (
    <div className={classes.filters} role="search" aria-label={texts.filters}>
      {children}
      {hasFilters(values, kept) && (
        <Button variant="subtle" onClick={clear}>
          {texts.clearFilters}
        </Button>
      )}
    </div>
  );
}

interface TextFilterProps {
  /** The query parameter. */
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'search';
  readonly placeholder?: string;
}

/** Applied when the person presses Enter or leaves the field. */
export function TextFilter({
  name,
  label,
  type = 'text',
  placeholder,
}: TextFilterProps): ReactNode {
  const { values, change } = useFilters();
  const value = values[name] ?? '';
  const [draft, setDraft] = useState({ of: value, text: value });
  // The address changed by other means, such as the button that clears the filters.
  if (draft.of !== value) setDraft({ of: value, text: value });
  const apply = (text: string): void => {
    if (text.trim() !== value) change(name, text.trim());
  };
  return (
    <TextInput
      type={type}
      label={label}
      placeholder={placeholder ?? ''}
      value={draft.text}
      onChange={(event) => {
        const text = event.currentTarget.value;
        setDraft({ of: value, text });
      }}
      onBlur={() => {
        apply(draft.text);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply(draft.text);
      }}
    />
  );
}

interface DayFilterProps {
  /** The query parameter; its value is a day in Jakarta. */
  readonly name: string;
  readonly label: string;
}

/** A day is applied at once; another text when the person presses Enter or leaves the field, so that the API refuses it. */
function DayFilter({ name, label }: DayFilterProps): ReactNode {
  const { values, change } = useFilters();
  const value = values[name] ?? '';
  const [draft, setDraft] = useState({ of: value, text: value });
  if (draft.of !== value) setDraft({ of: value, text: value });
  const apply = (text: string): void => {
    if (text !== value) change(name, text);
  };
  return (
    <DayInput
      label={label}
      value={draft.text}
      onChange={(text) => {
        setDraft({ of: value, text });
        if (isDay(text)) apply(text);
      }}
      onBlur={() => {
        apply(draft.text);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply(draft.text);
      }}
    />
  );
}

interface DayFiltersProps {
  readonly from: DayFilterProps;
  readonly to: DayFilterProps;
}

/** A period by its name, or by its first and last day. */
export function DayFilters({ from, to }: DayFiltersProps): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  const { values, changeAll } = useFilters();
  const [nowMs] = useState(() => Date.now());
  const chosen = PERIODS.find((period) => {
    const [first, last] = findPeriod(period, nowMs);
    return values[from.name] === first && values[to.name] === last;
  });
  return (
    <>
      <Select
        label={texts.period}
        placeholder={texts.anyPeriod}
        data={PERIODS.map((value) => ({ value, label: texts.periods[value] }))}
        value={chosen ?? null}
        clearable
        onChange={(value) => {
          const [first, last] = value === null ? [] : findPeriod(value, Date.now());
          changeAll({ [from.name]: first, [to.name]: last });
        }}
      />
      <DayFilter {...from} />
      <DayFilter {...to} />
    </>
  );
}

interface AmountFilterProps {
  /** The query parameter. */
  readonly name: string;
  readonly label: string;
}

/** Applied when the person presses Enter or leaves the field. */
export function AmountFilter({ name, label }: AmountFilterProps): ReactNode {
  const { values, change } = useFilters();
  const value = values[name] ?? '';
  const [draft, setDraft] = useState({ of: value, text: value });
  if (draft.of !== value) setDraft({ of: value, text: value });
  const apply = (): void => {
    if (draft.text !== value) change(name, draft.text);
  };
  return (
    <AmountInput
      label={label}
      value={draft.text}
      onChange={(text) => {
        setDraft({ of: value, text });
      }}
      onBlurCapture={apply}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply();
      }}
    />
  );
}

interface ChoiceFilterProps {
  readonly name: string;
  readonly label: string;
  /** The text of no choice. */
  readonly any: string;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  /** Of many choices: a person types a part of one. */
  readonly isSearchable?: boolean;
}

export function ChoiceFilter({
  name,
  label,
  any,
  choices,
  isSearchable = false,
}: ChoiceFilterProps): ReactNode {
  const { values, change } = useFilters();
  return (
    <Select
      label={label}
      placeholder={any}
      data={choices}
      value={values[name] ?? null}
      clearable
      searchable={isSearchable}
      onChange={(value) => {
        change(name, value ?? undefined);
      }}
    />
  );
}
