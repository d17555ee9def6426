// A time in Jakarta; the exact time with seconds appears on hover and focus.
import { Tooltip } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { formatExactTime, formatRelative, formatTime } from '../text/format.js';
import { useLanguage } from '../text/language.js';
import type { Column } from './list-table.js';
import classes from './parts.module.css';

const REFRESH_MS = 20_000;
const MINUTE_MS = 60_000;
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

/** A column of times. Those of rows in the same minute have seconds, which tell the rows apart. */
export function buildTimeColumn<Row>(name: string, read: (row: Row) => string | null): Column<Row> {
  return {
    name,
    render: (row, rows) => {
      const at = read(row);
      const inMinute = rows.filter((each) => findMinute(read(each)) === findMinute(at));
      return <When at={at} hasSeconds={inMinute.length > 1} />;
    },
  };
}

const findMinute = (at: string | null): number | null =>
  at === null ? null : Math.floor(Date.parse(at) / MINUTE_MS);

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
