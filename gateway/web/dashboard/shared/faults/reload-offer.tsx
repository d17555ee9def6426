// Offers to load the page again, beside the view, after a fault that no view shows: a part that could not be loaded, or an error
// of a script while nothing was drawn. The view stays, since the person may have typed much. However many faults there are,
// there is one offer.
import { Alert, Button, Group, Text } from '@mantine/core';
import { type ReactNode, useSyncExternalStore } from 'react';
import { useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';
import classes from './faults.module.css';
import { type FaultKind, findFault, reportFault } from './report.js';

let offered: FaultKind | null = null;
const listeners = new Set<() => void>();

function offer(kind: FaultKind | null): void {
  offered = kind;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Reports a fault of the page and offers a reload; other errors are not told here. */
export function tellFault(error: unknown): void {
  const kind = findFault(error);
  if (kind === null) return;
  reportFault(error);
  offer(offered ?? kind);
}

/** Errors of scripts that no view catches. Those of extensions of the browser are not the page's. */
export function watchForFaults(): void {
  window.addEventListener('error', ({ error, filename }) => {
    if (error instanceof Error && filename.startsWith(location.origin)) tellFault(error);
  });
  window.addEventListener('unhandledrejection', ({ reason }) => {
    if (reason instanceof Error && reason.name !== 'AbortError') tellFault(reason);
  });
}

export const reload = (): void => {
  location.reload();
};

export function ReloadOffer(): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  const kind = useSyncExternalStore(subscribe, () => offered);
  if (kind === null) return null;
  return (
    <Alert
      className={classes.offer ?? ''}
      color="yellow"
      title={texts.faults[kind].title}
      role="alert"
    >
      <Text size="sm">{texts.faults[kind].help}</Text>
      <Group mt="xs" gap="xs">
        <Button size="xs" onClick={reload}>
          {texts.reload}
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            offer(null);
          }}
        >
          {texts.later}
        </Button>
      </Group>
    </Alert>
  );
}
