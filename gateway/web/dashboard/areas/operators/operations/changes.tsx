// The change of an entry of the audit log: each field with its value before and after.
import { Box, Code, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatTime } from '@dashboard/shared/text/format.js';
import { useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { MerchantName } from '../parts/merchant-names.js';
import { ADMIN_TEXTS } from '../parts/texts.js';
import { AUDIT_TEXTS } from './audit-texts.js';
import { useAuditWords } from './audit-words.js';

type Fields = Readonly<Record<string, unknown>> | null;

interface ChangesProps {
  readonly before: Fields;
  readonly after: Fields;
}

const SHOWN_CHARACTERS = 160;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:?\d{2})$/;

const MERCHANT_ID = /^mer_[0-9a-z]{26}$/;

/** Merchants by name, times in WIB, statuses in words, and everything else as the text that it is. */
function Value({ name, value }: { readonly name: string; readonly value: unknown }): ReactNode {
  const statuses: Readonly<Record<string, string>> = useTexts(SHARED_TEXTS).status;
  const { yes, no } = useTexts(ADMIN_TEXTS);
  const { language } = useLanguage();
  if (value === null) return <span aria-hidden>—</span>;
  if (typeof value === 'boolean') return <Code>{value ? yes : no}</Code>;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (MERCHANT_ID.test(text)) return <MerchantName id={text} />;
  if (name.endsWith('status')) return <Code>{statuses[text.toLowerCase()] ?? text}</Code>;
  if (TIME.test(text)) return <Code>{formatTime(text, language, true)}</Code>;
  const isLong = text.length > SHOWN_CHARACTERS;
  return <Code>{isLong ? `${text.slice(0, SHOWN_CHARACTERS)} …` : text}</Code>;
}

export function Changes({ before, after }: ChangesProps): ReactNode {
  const texts = useTexts(AUDIT_TEXTS);
  const words = useAuditWords();
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    // A new object has no value there.
    (name) => (before?.[name] ?? after?.[name] ?? null) !== null,
  );
  if (names.length === 0) return null;
  return (
    <Box component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {names.map((name) => (
        <Text key={name} component="li" size="sm" style={{ overflowWrap: 'anywhere' }}>
          {words.field(name)}:{' '}
          {before !== null && Object.hasOwn(before, name) && (
            <>
              <Value name={name} value={before[name]} /> {texts.became}{' '}
            </>
          )}
          {after !== null && Object.hasOwn(after, name) ? (
            <Value name={name} value={after[name]} />
          ) : (
            texts.removed
          )}
        </Text>
      ))}
    </Box>
  );
}
