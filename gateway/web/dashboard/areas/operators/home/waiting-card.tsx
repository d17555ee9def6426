// A card of the home: how many wait, the first of them, and the way to all.
import { Card, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createLink } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { formatCount } from '@dashboard/shared/text/format.js';
import { useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { TextAnchor, type TextAnchorProps } from '../parts/links.js';
import { HOME_TEXTS } from './texts.js';

const REFRESH_MS = 15_000;
const SHOWN_ROWS = 5;

export interface Found<Row> {
  readonly rows: readonly Row[];
  /** There are more than these. */
  readonly hasMore: boolean;
}

interface WaitingCardProps<Row> {
  readonly title: string;
  readonly name: string;
  readonly load: () => Promise<Found<Row>>;
  readonly empty: string;
  readonly rowKey: (row: Row) => string;
  readonly renderRow: (row: Row) => ReactNode;
  /** Between the count and the rows. */
  readonly renderSummary?: (rows: readonly Row[]) => ReactNode;
  /** The link to all of them. */
  readonly link: ReactNode;
}

export function WaitingCard<Row>(props: WaitingCardProps<Row>): ReactNode {
  const { title, name, load, link } = props;
  const { data, error, refetch } = useQuery({
    queryKey: ['admin', 'home', name],
    queryFn: load,
    refetchInterval: REFRESH_MS,
  });
  return (
    <Card withBorder component="section" aria-label={title} data-card={name}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        {link}
      </Group>
      {error !== null && <ApiErrorView error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={60} aria-busy />}
      {data !== undefined && <Waiting {...props} found={data} />}
    </Card>
  );
}

function Waiting<Row>(props: WaitingCardProps<Row> & { readonly found: Found<Row> }): ReactNode {
  const { found, empty, rowKey, renderRow, renderSummary } = props;
  const texts = useTexts(HOME_TEXTS);
  const { language } = useLanguage();
  const { rows, hasMore } = found;
  if (rows.length === 0) return <Text c="dimmed">{empty}</Text>;
  const count = formatCount(rows.length, language);
  return (
    <Stack gap="xs">
      <Text fz={28} fw={650} lh={1.1}>
        {hasMore ? texts.more(count) : count}
      </Text>
      {renderSummary?.(rows)}
      {rows.slice(0, SHOWN_ROWS).map((row) => (
        <Group key={rowKey(row)} justify="space-between" gap="xs">
          {renderRow(row)}
        </Group>
      ))}
    </Stack>
  );
}

interface AllAnchorProps extends TextAnchorProps {
  /** The title of the card: a screen reader names the links of a page without what surrounds them. */
  readonly of: string;
}

function AllAnchor({ of, ...props }: AllAnchorProps): ReactNode {
  const { all } = useTexts(HOME_TEXTS);
  return (
    <TextAnchor {...props} aria-label={`${all}: ${of}`}>
      {all}
    </TextAnchor>
  );
}

/** Leads from a card to all that it counts. */
export const AllLink = createLink(AllAnchor);
