// Filters of a list. They are kept in the address: a change replaces it and begins at the first page.
import { Button, Select, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { DayInput } from '../forms/day-input.js';
import { useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';
import classes from './list.module.css';

/** Reads and changes the filters in the address of the view. */
export function useFilters(kept?: string): {
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly change: (name: string, value: string | undefined) => void;
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
  /** `date` shows a calendar; the value is a day in Jakarta. */
  readonly type?: 'text' | 'search' | 'date';
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
  const Field = type === 'date' ? DayInput : TextInput;
  return (
    <Field
      type={type}
      label={label}
      placeholder={placeholder ?? ''}
      value={draft.text}
      onChange={(event) => {
        const text = event.currentTarget.value;
        setDraft({ of: value, text });
        if (type === 'date') apply(text);
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

interface ChoiceFilterProps {
  readonly name: string;
  readonly label: string;
  /** The text of no choice. */
  readonly any: string;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
}

export function ChoiceFilter({ name, label, any, choices }: ChoiceFilterProps): ReactNode {
  const { values, change } = useFilters();
  return (
    <Select
      label={label}
      placeholder={any}
      data={choices}
      value={values[name] ?? null}
      clearable
      onChange={(value) => {
        change(name, value ?? undefined);
      }}
    />
  );
}
