// The raw answer of the API, behind a press: for support, and for what has no words yet.
import { Code } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '@dashboard/shared/text/language.js';
import { ADMIN_TEXTS } from './texts.js';

const INDENT = 2;

export function RawRow({ row }: { readonly row: object }): ReactNode {
  const { raw } = useTexts(ADMIN_TEXTS);
  return (
    <details>
      <summary>{raw}</summary>
      <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {JSON.stringify(row, null, INDENT)}
      </Code>
    </details>
  );
}
