// Words for the actions and fields of the audit log. A newer service may write others: they are shown as they are. A test
// compares them with the audited tables and the routes of administrators.
import { useTexts } from '@dashboard/shared/text/language.js';
import { en } from './audit-words.en.js';
import { id } from './audit-words.id.js';

export const AUDIT_WORDS = { en, id };

type Words = Readonly<Record<string, string>>;

const CHANGE = /^([a-z_]+)\.(insert|update|delete)$/;

function describeAction(action: string, words: typeof en | typeof id): string {
  const [, table = '', change = ''] = CHANGE.exec(action) ?? [];
  const changed = (words.tables as Words)[table];
  const verb = (words.changes as Readonly<Record<string, (name: string) => string>>)[change];
  if (changed !== undefined && verb !== undefined) return verb(changed);
  return (words.actions as Words)[action] ?? action;
}

interface AuditWords {
  readonly action: (action: string) => string;
  readonly field: (name: string) => string;
  /** For a filter. */
  readonly actions: readonly { readonly value: string; readonly label: string }[];
}

export function useAuditWords(): AuditWords {
  const words = useTexts<typeof en | typeof id>(AUDIT_WORDS);
  const all = [
    ...Object.keys(words.actions),
    ...Object.keys(words.tables).flatMap((table) =>
      Object.keys(words.changes).map((change) => `${table}.${change}`),
    ),
  ];
  return {
    action: (action) => describeAction(action, words),
    field: (name) => (words.fields as Words)[name] ?? name.replaceAll('_', ' '),
    actions: all.map((value) => ({ value, label: describeAction(value, words) })),
  };
}
