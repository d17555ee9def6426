// The shortcuts of the shell: `g` and a letter opens a view, `?` shows all. The dialog is loaded when it is first opened.
import { useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, useRef } from 'react';
import { OptionalPart } from '@dashboard/shared/faults/optional-part.js';
import { useNavigation } from '../navigation/navigation.js';
import { useCharacterKeys } from './character-keys.js';

const WITHIN_MS = 1_500;
const NEVER = -Infinity;
const ShortcutsDialog = lazy(() =>
  import('./shortcuts-dialog.js').then((file) => ({ default: file.ShortcutsDialog })),
);

interface ShortcutsProps {
  readonly isOpen: boolean;
  readonly onOpen: () => void;
  readonly onClose: () => void;
}

export function Shortcuts({ isOpen, onOpen, onClose }: ShortcutsProps): ReactNode {
  const views = useNavigation();
  const navigate = useNavigate();
  /** When `g` was pressed. */
  const began = useRef(NEVER);
  useCharacterKeys(({ key, shiftKey, timeStamp }) => {
    const isSecond = timeStamp - began.current < WITHIN_MS;
    began.current = NEVER;
    if (key === '?') {
      onOpen();
      return true;
    }
    if (shiftKey) return false;
    const letter = key.toLowerCase();
    const view = isSecond ? views.find((each) => each.letter === letter) : undefined;
    if (view !== undefined) {
      void navigate({ to: view.to });
      document.getElementById('content')?.focus();
    } else if (letter === 'g') began.current = timeStamp;
    return view !== undefined;
  });
  return (
    isOpen && (
      <OptionalPart onFailed={onClose}>
        <ShortcutsDialog onClose={onClose} />
      </OptionalPart>
    )
  );
}
