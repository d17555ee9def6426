// A button that copies a text.
import { ActionIcon, Tooltip } from '@mantine/core';
import Check from 'lucide-react/icons/check';
import CopyIcon from 'lucide-react/icons/copy';
import type { ReactNode } from 'react';
import { useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';
import { useCopying } from './copying.js';

const ICON_SIZE = 15;

export function CopyButton({ value }: { readonly value: string }): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  const [state, copy] = useCopying();
  const label = { idle: texts.copy, copied: texts.copied, failed: texts.copyFailed }[state];
  // Without a mouse the tooltip would not be seen.
  const shown = state === 'failed' ? { opened: true } : {};
  return (
    <Tooltip label={label} {...shown}>
      <ActionIcon
        variant="subtle"
        color={state === 'failed' ? 'red' : 'gray'}
        size="sm"
        onClick={() => {
          copy(value);
        }}
        aria-label={state === 'failed' ? texts.copyFailed : texts.copy}
      >
        {state === 'copied' ? <Check size={ICON_SIZE} /> : <CopyIcon size={ICON_SIZE} />}
      </ActionIcon>
    </Tooltip>
  );
}
