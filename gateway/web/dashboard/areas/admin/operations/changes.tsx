// The change of an entry of the audit log: each field with its value before and after.
import { Box, Code, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '@dashboard/shared/text/language.js';
import { AUDIT_TEXTS } from './audit-texts.js';

type Fields = Readonly<Record<string, unknown>> | null;

interface ChangesProps {
  readonly before: Fields;
  readonly after: Fields;
}

const SHOWN_CHARACTERS = 160;

function describe(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)} …` : text;
}

export function Changes({ before, after }: ChangesProps): ReactNode {
  const texts = useTexts(AUDIT_TEXTS);
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    // A new object has no value there.
    (name) => (before?.[name] ?? after?.[name] ?? null) !== null,
  );
  if (names.length === 0) return null;
  return (
    <Box component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {names.map((name) => (
        <Text key={name} component="li" size="sm" style={{ overflowWrap: 'anywhere' }}>
          {name}:{' '}
          {before !== null && Object.hasOwn(before, name) && (
            <>
              <Code>{describe(before[name])}</Code> {texts.became}{' '}
            </>
          )}
          {after !== null && Object.hasOwn(after, name) ? (
            <Code>{describe(after[name])}</Code>
          ) : (
            texts.removed
          )}
        </Text>
      ))}
    </Box>
  );
}
