// The status of an object, in words and colour. A status without a text of its own is shown as the API sends it.
import type { ReactNode } from 'react';
import { useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';
import classes from './parts.module.css';

type Tone = 'good' | 'waiting' | 'bad' | 'returned' | 'neutral';

const TONES: Readonly<Record<string, Tone>> = {
  ...{ paid: 'good', succeeded: 'good', completed: 'good', active: 'good', delivered: 'good' },
  ...{ approved: 'good', pending: 'waiting', processing: 'waiting', open: 'waiting' },
  ...{ retrying: 'waiting', failed: 'bad', dead: 'bad', rejected: 'bad', overdue: 'bad' },
  ...{ refunded: 'returned', partially_refunded: 'returned' },
};

interface StatusBadgeProps {
  readonly status: string;
  /** Replaces the shared text. */
  readonly label?: string;
  /** Replaces the shared tone. */
  readonly tone?: Tone;
}

export function StatusBadge({ status, label, tone }: StatusBadgeProps): ReactNode {
  const texts: Readonly<Record<string, string>> = useTexts(SHARED_TEXTS).status;
  const key = status.toLowerCase();
  return (
    <span
      className={classes.status}
      data-tone={tone ?? TONES[key] ?? 'neutral'}
      data-status={status}
    >
      {label ?? texts[key] ?? status}
    </span>
  );
}
