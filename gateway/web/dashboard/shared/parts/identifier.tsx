// An id with a button that copies it.
import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.js';
import classes from './parts.module.css';

export function Identifier({ value }: { readonly value: string }): ReactNode {
  return (
    <Group gap={4} wrap="nowrap" component="span">
      <span className={classes.identifier}>{value}</span>
      <CopyButton value={value} />
    </Group>
  );
}
