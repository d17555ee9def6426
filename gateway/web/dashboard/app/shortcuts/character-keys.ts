// Shortcuts of one character. A key that is pressed in a field, or while a dialog or a menu is open, is theirs. (The hook of
// the library compares Shift, which some keyboards need for `/` and others do not.)
import { useEffect, useEffectEvent } from 'react';

const FIELDS = 'input, textarea, select, [contenteditable]';
const PARTS = '[role=dialog], [role=menu]';
const REMEMBERED = 'dashboard.shortcuts';
const OFF = 'off';

/** Programs that are steered by speech type characters, so people can switch these shortcuts off. */
export const areShortcutsOn = (): boolean => localStorage.getItem(REMEMBERED) !== OFF;

export function switchShortcuts(isOn: boolean): void {
  if (isOn) localStorage.removeItem(REMEMBERED);
  else localStorage.setItem(REMEMBERED, OFF);
}

/** Some that are closed stay in the page, without a size. */
const isPartOpen = (): boolean =>
  [...document.querySelectorAll(PARTS)].some((part) => part.getClientRects().length > 0);

function isShortcut(event: KeyboardEvent): boolean {
  const { target, ctrlKey, altKey, metaKey, repeat, isComposing, defaultPrevented } = event;
  if (ctrlKey || altKey || metaKey || repeat || isComposing || defaultPrevented) return false;
  if (target instanceof Element && target.closest(FIELDS) !== null) return false;
  return areShortcutsOn() && !isPartOpen();
}

/** `onKey` tells whether it has used the key. */
export function useCharacterKeys(onKey: (event: KeyboardEvent) => boolean): void {
  const handle = useEffectEvent((event: KeyboardEvent) => {
    if (isShortcut(event) && onKey(event)) event.preventDefault();
  });
  useEffect(() => {
    document.addEventListener('keydown', handle);
    return () => {
      document.removeEventListener('keydown', handle);
    };
  }, []);
}
