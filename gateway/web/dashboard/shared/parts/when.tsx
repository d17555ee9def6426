// A time in Jakarta; the exact time with seconds appears on hover and focus.
import { Tooltip } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { formatExactTime, formatRelative, formatTime } from '../text/format.js';
import { useLanguage } from '../text/language.js';
import classes from './parts.module.css';

const REFRESH_MS = 20_000;
/** Times that are shown in seconds. */
const YOUNG_MS = 60_000;
const YOUNG_REFRESH_MS = 1_000;

interface WhenProps {
  /** null shows a dash. */
  readonly at: string | null;
  /** `5 minutes ago` instead of the date. */
  readonly isRelative?: boolean;
  readonly hasSeconds?: boolean;
}

export function When({ at, isRelative = false, hasSeconds = false }: WhenProps): ReactNode {
  const { language } = useLanguage();
  if (at === null) return <span aria-hidden>—</span>;
  return (
    <Tooltip
      label={formatExactTime(at, language)}
      events={{ hover: true, focus: true, touch: true }}
    >
      <time dateTime={at} className={classes.when}>
        {isRelative ? <Ago at={at} /> : formatTime(at, language, hasSeconds)}
      </time>
    </Tooltip>
  );
}

function Ago({ at }: { readonly at: string }): ReactNode {
  const { language } = useLanguage();
  const [nowMs, setNowMs] = useState(() => Date.now());
  const isYoung = Math.abs(nowMs - Date.parse(at)) < YOUNG_MS;
  useEffect(() => {
    const refresh = (): void => {
      setNowMs(Date.now());
    };
    const timer = setInterval(refresh, isYoung ? YOUNG_REFRESH_MS : REFRESH_MS);
    return () => {
      clearInterval(timer);
    };
  }, [isYoung]);
  return formatRelative(at, nowMs, language);
}
