// One object: a heading, its facts, and sections below. The query decides between loading, error and the object.
import { Card, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useEnvironmentOf } from '../session/environment.js';
import { ApiErrorView } from './api-error-view.js';
import classes from './parts.module.css';

interface DetailViewProps<Data> {
  readonly query: UseQueryResult<Data>;
  /** Shown until the answer: as high as what follows, or the rest of the view moves then. */
  readonly loading?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

const LINES = [0, 1, 2, 3, 4];
const LOADING = (
  <Card withBorder aria-busy>
    <Stack>
      {LINES.map((line) => (
        <Skeleton key={line} height={18} />
      ))}
    </Stack>
  </Card>
);

export function DetailView<Data>(props: DetailViewProps<Data>): ReactNode {
  const { query, loading = LOADING, children } = props;
  const { data, error, refetch } = query;
  if (data !== undefined) return children(data);
  if (error !== null) return <ApiErrorView error={error} onRetry={() => void refetch()} />;
  return loading;
}

/** An object of a merchant. It is shown once the address, and the bar with it, has its environment. */
export function ObjectView<Data extends { readonly environment: string }>(
  props: DetailViewProps<Data>,
): ReactNode {
  const { loading = LOADING, query } = props;
  return useEnvironmentOf(query.data) ? <DetailView {...props} /> : loading;
}

interface SectionProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, actions, children }: SectionProps): ReactNode {
  return (
    <Card withBorder component="section">
      <div className={classes.sectionHead}>
        <Title order={2} size="h4">
          {title}
        </Title>
        {actions}
      </div>
      {children}
    </Card>
  );
}

/** Names and values; an entry whose value is null is left out. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [string, ReactNode])[];
}): ReactNode {
  return (
    <dl className={classes.facts}>
      {facts
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

interface NumberCardProps {
  readonly name: string;
  readonly help: string;
  readonly figure: string;
}

/** A figure with its name, and a line that explains it. The figure is smaller where it would not fit (parts.module.css). */
export function NumberCard({ name, help, figure }: NumberCardProps): ReactNode {
  return (
    <Card withBorder>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <div className={classes.figure}>
        <Text className={classes.number} __vars={{ '--characters': String(figure.length) }}>
          {figure}
        </Text>
      </div>
      <Text size="xs" c="dimmed">
        {help}
      </Text>
    </Card>
  );
}
