// Asks before something that cannot be undone, and stays open with the error when it fails.
import { Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';
import { ApiErrorView } from './api-error-view.js';
import classes from './parts.module.css';

/** The part of the shell that holds the view (app/shell.tsx). */
const CONTENT = 'content';

interface ConfirmDialogProps {
  readonly title: string;
  /** Says what will happen; may hold fields. */
  readonly children: ReactNode;
  /** The verb of the action. */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** false: the action cannot be confirmed yet. */
  readonly isReady?: boolean;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** A rejection is shown, and the dialog stays. */
  readonly onConfirm: () => Promise<unknown>;
}

export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { title, children, action, isDangerous = false, isReady = true } = props;
  const { isOpen, onClose, onConfirm } = props;
  const texts = useTexts(SHARED_TEXTS);
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: onConfirm,
    onSuccess: onClose,
  });
  const close = (): void => {
    reset();
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={title}
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      <ReturnFocus />
      <Stack>
        {children}
        {error !== null && <ApiErrorView error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {texts.cancel}
          </Button>
          <Button
            // White is readable on this red in the dark, too.
            color={isDangerous ? 'red.9' : 'brand'}
            classNames={{ root: classes.action, label: classes.actionLabel }}
            loading={isPending}
            disabled={!isReady}
            onClick={() => {
              mutate();
            }}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/**
 * Rendered inside a dialog. When the dialog goes away, people with a keyboard go on at the button that opened it. The library
 * does so only for dialogs that stay mounted while they are closed.
 */
export function ReturnFocus(): ReactNode {
  // Read before the dialog takes the focus.
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      const isThere = opener instanceof HTMLElement && opener.isConnected;
      const target = isThere ? opener : document.getElementById(CONTENT);
      target?.focus({ preventScroll: true });
    },
    [opener],
  );
  return null;
}
