// The button and the shortcuts that open the command palette. The palette itself is loaded when it is first opened.
import { ActionIcon, Kbd, UnstyledButton } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import Search from 'lucide-react/icons/search';
import { lazy, type ReactNode, useRef, useState } from 'react';
import { OptionalPart } from '@dashboard/shared/faults/optional-part.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { useCharacterKeys } from '../shortcuts/character-keys.js';
import classes from './palette.module.css';
import { PALETTE_TEXTS } from './texts.js';

const ICON_SIZE = 18;
const Palette = lazy(() => import('./palette.js').then((file) => ({ default: file.Palette })));

export function PaletteButton(): ReactNode {
  const texts = useTexts(PALETTE_TEXTS);
  const [isOpen, setIsOpen] = useState(false);
  const former = useRef<Element | null>(null);
  const open = (): void => {
    if (!isOpen) former.current = document.activeElement;
    setIsOpen(true);
  };
  const close = (): void => {
    setIsOpen(false);
    if (former.current instanceof HTMLElement) former.current.focus();
  };
  // Also from a field.
  useHotkeys([['mod+K', open]], []);
  useCharacterKeys(({ key }) => {
    if (key === '/') open();
    return key === '/';
  });
  return (
    <>
      <UnstyledButton className={classes.trigger} onClick={open} visibleFrom="md">
        <Search size={ICON_SIZE} aria-hidden />
        <span>{texts.open}</span>
        <Kbd size="xs" aria-hidden>
          {texts.openKeys}
        </Kbd>
      </UnstyledButton>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={texts.open}
        onClick={open}
        hiddenFrom="md"
      >
        <Search size={ICON_SIZE} aria-hidden />
      </ActionIcon>
      {isOpen && (
        <OptionalPart onFailed={close}>
          <Palette onClose={close} />
        </OptionalPart>
      )}
    </>
  );
}
