// The dictionary of operator tasks, and the words for names that the API sends.
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { en } from './texts.en.js';
import { id } from './texts.id.js';

export const TASK_TEXTS = { en, id };

/** A newer service may send names that this version has no words for: they are shown as they are. */
export interface TaskWords {
  readonly kind: (kind: string) => string;
  readonly cause: (kind: string) => string | null;
  readonly action: (action: string) => string;
  readonly effect: (action: string) => string | null;
  readonly detail: (name: string) => string;
  /** Of a detail whose values are names of the API. */
  readonly value: (name: string, value: string) => string;
}

/** Details whose values have words. */
const NAMED: readonly string[] = [
  ...['difference', 'field', 'ours', 'theirs', 'booking', 'said', 'status'],
];

type Words = Readonly<Record<string, string>>;

export function useTaskWords(): TaskWords {
  const texts = useTexts(TASK_TEXTS);
  const { status } = useTexts(SHARED_TEXTS);
  const find = (words: Words, name: string): string | undefined =>
    Object.hasOwn(words, name) ? words[name] : undefined;
  return {
    kind: (kind) => find(texts.kinds, kind) ?? kind,
    cause: (kind) => find(texts.causes, kind) ?? null,
    action: (action) => find(texts.actions, action) ?? action,
    effect: (action) => find(texts.effects, action) ?? null,
    detail: (name) => find(texts.details, name) ?? name,
    value: (name, value) =>
      NAMED.includes(name) ? (find({ ...status, ...texts.values }, value) ?? value) : value,
  };
}
