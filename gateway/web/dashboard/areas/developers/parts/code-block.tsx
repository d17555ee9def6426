// A text of a program or of a message. It is scrolled with the keyboard too, and has a ground of its own on a card.
import { Code } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './developers.module.css';

export function CodeBlock({ children }: { readonly children: string }): ReactNode {
  return (
    <Code block tabIndex={0} className={classes.code ?? ''}>
      {children}
    </Code>
  );
}
