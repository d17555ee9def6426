// The text of an empty list: what will appear there, and how to begin.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface EmptyTextProps {
  readonly title: string;
  readonly help: string;
  /** A button or a link to the first step. */
  readonly action?: ReactNode;
}

export function EmptyText({ title, help, action }: EmptyTextProps): ReactNode {
  return (
    <>
      <Text fw={600}>{title}</Text>
      <Text c="dimmed" ta="center">
        {help}
      </Text>
      {action}
    </>
  );
}
