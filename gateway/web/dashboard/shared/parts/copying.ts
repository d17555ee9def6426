// Copies a text, and tells whether that worked. Browsers offer their clipboard to pages with HTTPS only; elsewhere, and where
// they refuse it, a field that nobody sees is selected and copied.
import { useEffect, useRef, useState } from 'react';
import classes from './parts.module.css';

const SHOWN_MS = 2_000;
/** Long enough to read what to do instead. */
const FAILURE_SHOWN_MS = 8_000;

export type Copying = 'idle' | 'copied' | 'failed';

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = classes.copied ?? '';
  document.body.append(field);
  field.select();
  // Deprecated, and the only way on a page without HTTPS; all browsers have it.
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return isCopied;
}

/** The state goes back to `idle` when the person has had time to read it. */
export function useCopying(): readonly [Copying, (text: string) => void] {
  const [state, setState] = useState<Copying>('idle');
  const timer = useRef<number | undefined>(undefined);
  useEffect(
    () => () => {
      window.clearTimeout(timer.current);
    },
    [],
  );
  const start = async (text: string): Promise<void> => {
    const isCopied = await copy(text);
    setState(isCopied ? 'copied' : 'failed');
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(
      () => {
        setState('idle');
      },
      isCopied ? SHOWN_MS : FAILURE_SHOWN_MS,
    );
  };
  return [state, (text) => void start(text)];
}
