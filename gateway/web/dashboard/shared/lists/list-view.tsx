// A list of the API: one page at a time by cursor, which is kept in the address with the filters. It shows loading, empty
// and error states, and refreshes while the person looks at the first page.
import { Button, Card, Group, Skeleton, Stack, Text } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useId } from 'react';
import { type Permission, useCan } from '../session/session.js';
import { useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';
import { ApiErrorView } from '../parts/api-error-view.js';
import { type Column, ListTable } from './list-table.js';
import { Pager } from './pager.js';

const REFRESH_MS = 10_000;
const LIVE_REFRESH_MS = 2_000;
const SKELETONS = [0, 1, 2, 3, 4, 5];

export interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly next_cursor?: string | null;
}

interface ListViewProps<Row> {
  readonly label: string;
  /** Names the list and everything that `load` depends on, the cursor aside. */
  readonly queryKey: readonly unknown[];
  readonly load: (cursor: string | undefined) => Promise<ListPage<Row>>;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  readonly rowLink?: (row: Row, content: ReactNode) => ReactNode;
  readonly filters?: ReactNode;
  /** Whether a filter is set; the empty state says so. */
  readonly isFiltered?: boolean;
  /** Shown while there is nothing and no filter: what will appear here, and how to begin. */
  readonly empty: ReactNode;
  /** From the address. */
  readonly cursor?: string | undefined;
  readonly onCursor?: (cursor: string | undefined) => void;
  /** Whether people wait for these rows to change, so that the list asks more often. */
  readonly isLive?: (rows: readonly Row[]) => boolean;
}

export function ListView<Row extends object>(props: ListViewProps<Row>): ReactNode {
  const { label, queryKey, load, columns, rowKey, rowLink, filters, cursor, onCursor, isLive } =
    props;
  const { data, error, isPlaceholderData, refetch } = useQuery({
    queryKey: [...queryKey, cursor],
    queryFn: () => load(cursor),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      if (cursor !== undefined) return false;
      return isLive?.(state.data?.data ?? []) === true ? LIVE_REFRESH_MS : REFRESH_MS;
    },
  });
  const isEmpty = data !== undefined && data.data.length === 0;
  return (
    <Stack gap="md">
      {filters}
      {error !== null && <ApiErrorView error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingRows />}
      {isEmpty && <EmptyList {...props} />}
      {data !== undefined && !isEmpty && (
        <div aria-busy={isPlaceholderData}>
          <ListTable {...{ label, columns, rowKey, rowLink }} rows={data.data} />
        </div>
      )}
      {onCursor !== undefined && data !== undefined && (
        <Pager cursor={cursor} next={data.next_cursor ?? null} onCursor={onCursor} />
      )}
    </Stack>
  );
}

function LoadingRows(): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  return (
    <Card withBorder aria-busy aria-label={texts.loading} role="status">
      <Stack>
        {SKELETONS.map((line) => (
          <Skeleton key={line} height={20} />
        ))}
      </Stack>
    </Card>
  );
}

function EmptyList({
  isFiltered = false,
  empty,
}: Pick<ListViewProps<never>, 'isFiltered' | 'empty'>): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  return (
    <Card withBorder>
      <Stack align="center" py="xl" gap="xs">
        {isFiltered ? (
          <>
            <Text fw={600}>{texts.nothingFound}</Text>
            <Text c="dimmed">{texts.nothingFoundHelp}</Text>
          </>
        ) : (
          empty
        )}
      </Stack>
    </Card>
  );
}

interface EmptyHintProps {
  readonly title: string;
  readonly help: string;
  /** A button that begins, if the role may. */
  readonly children?: ReactNode;
}

/** The empty state of a list: what is missing, and how to begin. */
export function EmptyHint({ title, help, children }: EmptyHintProps): ReactNode {
  return (
    <>
      <Text fw={600}>{title}</Text>
      <Text c="dimmed" ta="center">
        {help}
      </Text>
      {children}
    </>
  );
}

interface NextStepProps {
  readonly to: string;
  /** The title of the view. */
  readonly name: string;
  /** Roles without it do not see the view. */
  readonly permission: Permission;
}

/** Leads from an empty list to the view where its first entry begins. */
export function NextStep({ to, name, permission }: NextStepProps): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  const can = useCan();
  if (!can(permission)) return null;
  return (
    <Button component={Link} to={to}>
      {texts.open(name)}
    </Button>
  );
}

interface ExportProps {
  readonly onExport: () => Promise<void>;
  /** Why these filters cannot be saved, and what to choose. */
  readonly hint?: string | undefined;
}

/** Saves the list with its filters as a file. */
export function ExportButton({ onExport, hint }: ExportProps): ReactNode {
  const hintId = useId();
  const texts = useTexts(SHARED_TEXTS);
  const { mutate, isPending, error } = useMutation({ mutationFn: onExport });
  return (
    <Group gap="xs">
      {error !== null && <ApiErrorView error={error} />}
      {hint !== undefined && (
        <Text id={hintId} c="dimmed" size="sm">
          {hint}
        </Text>
      )}
      <Button
        variant="default"
        disabled={hint !== undefined}
        aria-describedby={hint === undefined ? undefined : hintId}
        loading={isPending}
        onClick={() => {
          mutate();
        }}
      >
        {texts.exportCsv}
      </Button>
    </Group>
  );
}
