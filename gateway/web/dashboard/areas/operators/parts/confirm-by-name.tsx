// Asks for the name of the thing before something that stops or takes away: a press alone does nothing.
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { ReturnFocus } from '@dashboard/shared/parts/confirm-dialog.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { ADMIN_TEXTS } from './texts.js';

interface ConfirmByNameProps {
  readonly title: string;
  /** Says what will happen; may hold fields. */
  readonly children: ReactNode;
  /** The text to be typed. */
  readonly name: string;
  /** The verb of the action. */
  readonly action: string;
  /** false: a field above is not filled in yet. */
  readonly isReady?: boolean;
  readonly onClose: () => void;
  /** A rejection is shown, and the dialog stays. */
  readonly onConfirm: () => Promise<unknown>;
}

/** Rendered while it is open. */
export function ConfirmByName(props: ConfirmByNameProps): ReactNode {
  const { title, children, name, action, isReady = true, onClose, onConfirm } = props;
  const texts = useTexts(ADMIN_TEXTS);
  const shared = useTexts(SHARED_TEXTS);
  const [typed, setTyped] = useState('');
  const { mutate, isPending, error } = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  const isConfirmed = isReady && typed.trim() === name;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (isConfirmed) mutate();
  };
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': shared.close }}>
      <ReturnFocus />
      <form onSubmit={send}>
        <Stack>
          {children}
          <Text size="sm">
            {texts.typeName} <strong>{name}</strong>
          </Text>
          <TextInput
            label={texts.name}
            value={typed}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => {
              setTyped(event.currentTarget.value);
            }}
          />
          {error !== null && <ApiErrorView error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {shared.cancel}
            </Button>
            <Button type="submit" color="red" disabled={!isConfirmed} loading={isPending}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
