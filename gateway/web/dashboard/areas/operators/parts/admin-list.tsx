// A list of the administrator's API whose filters and cursor are in the address. The address says `env` for the filter
// that the API calls `environment`, because `environment` in an address is the switch of merchants' views.
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ChoiceFilter, Filters, useFilters } from '@dashboard/shared/lists/filters.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import { EmptyHint, type ListPage, ListView } from '@dashboard/shared/lists/list-view.js';
import { ENVIRONMENTS } from '@dashboard/shared/session/environment.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { ADMIN_TEXTS } from './texts.js';

/** Texts from the address, by the names of the API, which checks them. */
export type ListQuery = Readonly<Record<string, string | undefined>>;

/** `environment` is the switch of merchants' views, which the address of an administrator may still carry. */
const NOT_SENT: readonly string[] = ['cursor', 'env', 'environment'];

/** The filters of the address, by the names of the API. */
export function readListQuery(values: ListQuery): ListQuery {
  const chosen = Object.entries(values).filter(([field]) => !NOT_SENT.includes(field));
  const { env } = values;
  return { ...Object.fromEntries(chosen), ...(env === undefined ? {} : { environment: env }) };
}

interface AdminListProps<Row> {
  readonly label: string;
  /** The query key. */
  readonly name: string;
  readonly load: (query: ListQuery) => Promise<ListPage<Row>>;
  /** Sent unless the address names another value. */
  readonly defaults?: ListQuery;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  readonly rowLink?: (row: Row, content: ReactNode) => ReactNode;
  /** Filter fields. */
  readonly filters?: ReactNode;
  readonly empty: string;
  readonly emptyHelp: string;
}

export function AdminList<Row extends object>(props: AdminListProps<Row>): ReactNode {
  const { name, load, defaults = {}, filters, empty, emptyHelp, ...table } = props;
  const { values } = useFilters();
  const navigate = useNavigate();
  const { cursor } = values;
  const chosen = readListQuery(values);
  const query: ListQuery = { ...defaults, ...chosen };
  const isFiltered = Object.keys(chosen).length > 0;
  return (
    <ListView
      {...table}
      queryKey={['admin', name, query]}
      load={(from) => load({ ...query, cursor: from })}
      filters={filters === undefined ? undefined : <Filters>{filters}</Filters>}
      isFiltered={isFiltered}
      empty={<EmptyHint title={empty} help={emptyHelp} />}
      cursor={cursor}
      onCursor={(next) => void navigate({ to: '.', search: { ...values, cursor: next } as never })}
    />
  );
}

/** `any` is the text of no choice. */
export function EnvironmentFilter({ any }: { readonly any?: string }): ReactNode {
  const texts = useTexts(ADMIN_TEXTS);
  return (
    <ChoiceFilter
      name="env"
      label={texts.environment}
      any={any ?? texts.both}
      choices={ENVIRONMENTS.map((value) => ({ value, label: value }))}
    />
  );
}
