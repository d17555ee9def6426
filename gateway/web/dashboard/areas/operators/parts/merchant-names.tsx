// Merchants by name instead of id. The names of a view are asked for together.
import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { adminApi } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { useFilters } from '@dashboard/shared/lists/filters.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { ADMIN_TEXTS } from './texts.js';

const FRESH_MS = 60_000;
const BATCH_MS = 10;
/** The API takes as many. */
const MAX_IDS = 100;
const SEARCH_AFTER_MS = 150;
const MAX_FOUND = 20;
const MERCHANT_ID = /^mer_[0-9a-z]{26}$/;

interface Batch {
  readonly ids: Set<string>;
  readonly names: Promise<ReadonlyMap<string, string>>;
}

let batch: Batch | null = null;

async function loadNames(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  await new Promise((resolve) => setTimeout(resolve, BATCH_MS));
  if (batch?.ids === ids) batch = null;
  const query = { ids: [...ids].join(','), limit: MAX_IDS };
  const { data } = await unwrap(adminApi.GET('/v1/admin/merchants', { params: { query } }));
  return new Map(data.map(({ id, business_name: name }) => [id, name]));
}

async function loadName(id: string): Promise<string | null> {
  if (batch === null || batch.ids.size >= MAX_IDS) {
    const ids = new Set<string>();
    batch = { ids, names: loadNames(ids) };
  }
  batch.ids.add(id);
  return (await batch.names).get(id) ?? null;
}

const nameQuery = (id: string) =>
  queryOptions({
    queryKey: ['admin', 'merchant-name', id],
    queryFn: () => loadName(id),
    enabled: MERCHANT_ID.test(id),
    staleTime: FRESH_MS,
  });

/** The id itself until the name is known, and if there is none. */
export function useMerchantName(id: string): string {
  return useQuery(nameQuery(id)).data ?? id;
}

/** null: the platform. */
export function MerchantName({ id }: { readonly id: string | null }): ReactNode {
  const { platform } = useTexts(ADMIN_TEXTS);
  return id === null ? platform : <NameOf id={id} />;
}

function NameOf({ id }: { readonly id: string }): ReactNode {
  return <span title={id}>{useMerchantName(id)}</span>;
}

interface MerchantSelectProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly description?: ReactNode;
  readonly required?: boolean;
  readonly error?: ReactNode;
  /** An id; empty: none is chosen. */
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** Finds a merchant by a part of its name, the address of a user, or its id. */
export function MerchantSelect({ value, onChange, ...input }: MerchantSelectProps): ReactNode {
  const { noMerchant } = useTexts(ADMIN_TEXTS);
  const name = useMerchantName(value);
  const [text, setText] = useState('');
  const [sought] = useDebouncedValue(text.trim(), SEARCH_AFTER_MS);
  const query = {
    limit: MAX_FOUND,
    ...(MERCHANT_ID.test(sought) ? { ids: sought } : {}),
    ...(sought === '' || sought === name || MERCHANT_ID.test(sought) ? {} : { search: sought }),
  };
  const { data } = useQuery({
    queryKey: ['admin', 'merchant-choices', query],
    queryFn: () => unwrap(adminApi.GET('/v1/admin/merchants', { params: { query } })),
    placeholderData: keepPreviousData,
  });
  const found = (data?.data ?? []).map((each) => ({ value: each.id, label: each.business_name }));
  const isListed = found.some((each) => each.value === value);
  const chosen = value === '' || isListed ? [] : [{ value, label: name }];
  return (
    <Select
      {...input}
      data={[...chosen, ...found]}
      value={value === '' ? null : value}
      clearable
      searchable
      // The API has searched.
      filter={({ options }) => options}
      nothingFoundMessage={noMerchant}
      onSearchChange={setText}
      onChange={(id) => {
        onChange(id ?? '');
      }}
    />
  );
}

/** A merchant as a filter of a list. The address of the view holds the id. */
export function MerchantFilter(): ReactNode {
  const { merchant, anyMerchant } = useTexts(ADMIN_TEXTS);
  const { values, change } = useFilters();
  return (
    <MerchantSelect
      label={merchant}
      placeholder={anyMerchant}
      value={values['merchant_id'] ?? ''}
      onChange={(id) => {
        change('merchant_id', id);
      }}
    />
  );
}
