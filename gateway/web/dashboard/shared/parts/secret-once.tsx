// A secret that the API shows only once: one press copies it, and the dialog closes only when the person says so.
import { Alert, Button, Code, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';
import { CopyButton } from './copy-button.js';

interface SecretOnceProps {
  readonly title: string;
  /** null: the dialog is closed. */
  readonly secret: string | null;
  readonly onDone: () => void;
}

export function SecretOnce({ title, secret, onDone }: SecretOnceProps): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  const fixed = { closeOnClickOutside: false, closeOnEscape: false, withCloseButton: false };
  return (
    <Modal opened={secret !== null} onClose={onDone} title={title} {...fixed}>
      <Stack>
        <Alert color="yellow">{texts.secretOnce}</Alert>
        <Group wrap="nowrap">
          <Code block data-secret>
            {secret ?? ''}
          </Code>
          <CopyButton value={secret ?? ''} />
        </Group>
        <Button onClick={onDone}>{texts.secretDone}</Button>
      </Stack>
    </Modal>
  );
}
