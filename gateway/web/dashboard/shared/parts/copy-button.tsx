// A button that copies a text.
import { ActionIcon, CopyButton as Copier, Tooltip } from '@mantine/core';
import Check from 'lucide-react/icons/check';
import CopyIcon from 'lucide-react/icons/copy';
import type { ReactNode } from 'react';
import { useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';

const SHOWN_MS = 2_000;
const ICON_SIZE = 15;

export function CopyButton({ value }: { readonly value: string }): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  return (
    <Copier value={value} timeout={SHOWN_MS}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? texts.copied : texts.copy}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            onClick={copy}
            aria-label={texts.copy}
          >
            {copied ? <Check size={ICON_SIZE} /> : <CopyIcon size={ICON_SIZE} />}
          </ActionIcon>
        </Tooltip>
      )}
    </Copier>
  );
}
