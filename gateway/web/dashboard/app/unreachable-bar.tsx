// A bar while the service does not answer. A view that loads again on its own goes on showing its former figures, and without
// the bar nobody would know that they are old.
import { type QueryCacheNotifyEvent, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { ApiFailure, ConnectionFailure } from '@dashboard/shared/api/failure.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import classes from './navigation/shell.module.css';
import { SHELL_TEXTS } from './navigation/texts.js';

/** A proxy answers so while it finds no gateway, and a gateway while it finds no database. */
const UNAVAILABLE: readonly number[] = [502, 503, 504];

/** undefined: the event tells nothing about the service. */
function hasAnswered(event: QueryCacheNotifyEvent): boolean | undefined {
  if (event.type !== 'updated') return undefined;
  const { action } = event;
  if (action.type === 'success') return action.manual === true ? undefined : true;
  if (action.type !== 'failed' && action.type !== 'error') return undefined;
  const error: unknown = action.error;
  if (error instanceof ApiFailure) return !UNAVAILABLE.includes(error.status);
  return error instanceof ConnectionFailure ? false : undefined;
}

function useIsLost(): boolean {
  const client = useQueryClient();
  const [isLost, setIsLost] = useState(false);
  useEffect(
    () =>
      client.getQueryCache().subscribe((event) => {
        const answered = hasAnswered(event);
        if (answered !== undefined) setIsLost(!answered);
      }),
    [client],
  );
  return isLost;
}

export function UnreachableBar(): ReactNode {
  const texts = useTexts(SHELL_TEXTS);
  const isLost = useIsLost();
  // The region is there before its text, or screen readers would not read it.
  return <div role="status">{isLost && <p className={classes.lost}>{texts.lost}</p>}</div>;
}
