// Moves through the pages of a list. Cursors lead forwards only, so the way back is the browser's history.
import { Button, Group } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';

interface PagerProps {
  readonly cursor: string | undefined;
  readonly next: string | null;
  readonly onCursor: (cursor: string | undefined) => void;
}

export function Pager({ cursor, next, onCursor }: PagerProps): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  const { history } = useRouter();
  const [steps, setSteps] = useState(0);
  if (cursor === undefined && next === null) return null;
  const goOn = (): void => {
    setSteps(steps + 1);
    onCursor(next ?? undefined);
  };
  const goBack = (): void => {
    setSteps(Math.max(steps - 1, 0));
    if (steps > 0) history.back();
    else onCursor(undefined);
  };
  return (
    <Group justify="flex-end">
      <Button variant="default" disabled={cursor === undefined} onClick={goBack}>
        {cursor !== undefined && steps === 0 ? texts.firstPage : texts.previous}
      </Button>
      <Button variant="default" disabled={next === null} onClick={goOn}>
        {texts.next}
      </Button>
    </Group>
  );
}
