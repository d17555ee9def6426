// When a delivery is attempted next. A time that has passed is none: the attempt waits for its turn.
import { type ReactNode, useEffect, useState } from 'react';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';

/** A time this near would pass while somebody reads it. */
const SOON_MS = 2_000;
const REFRESH_MS = 1_000;

interface NextAttemptProps {
  /** null: there is none. */
  readonly at: string | null;
}

export function NextAttempt({ at }: NextAttemptProps): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  const [nowMs, setNowMs] = useState(() => Date.now());
  const isSoon = at !== null && Date.parse(at) - nowMs <= SOON_MS;
  useEffect(() => {
    const timer = setInterval(() => {
      setNowMs(Date.now());
    }, REFRESH_MS);
    return () => {
      clearInterval(timer);
    };
  }, []);
  return isSoon ? webhooks.soon : <When at={at} isRelative />;
}
