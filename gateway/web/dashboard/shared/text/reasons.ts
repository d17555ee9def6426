// Why a delivery failed, in words: a short name, its meaning, and what to do. A reason without a text here is explained by
// the API's own words.
import { useTexts } from './language.js';
import { REASONS_EN } from './reasons.en.js';
import { REASONS_ID } from './reasons.id.js';

export interface Reason {
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
}

interface Failed {
  readonly reason: string | null;
  readonly meaning: string | null;
}

export type Explain = (failed: Failed) => Reason;

const NOTHING: Reason = { title: '—', meaning: '', remedy: '' };
const REASONS = { en: REASONS_EN, id: REASONS_ID };

export const FAILURES = Object.keys(REASONS_EN) as readonly (keyof typeof REASONS_EN)[];

export function useExplain(): Explain {
  const reasons: Readonly<Record<string, Reason>> = useTexts(REASONS);
  return ({ reason, meaning }) => {
    if (reason === null) return NOTHING;
    return reasons[reason] ?? { title: reason, meaning: meaning ?? '', remedy: '' };
  };
}
