// The command palette: finds views and actions by name, objects by their ids, payments by their words and, for administrators,
// merchants. The focus stays in the field; the chosen entry is named to screen readers. (The library's own palette names it to
// nobody.)
import { Kbd, Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { FIRST_FIELD } from '@dashboard/shared/forms/first-field.js';
import { useSession } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { useActions, useObject } from './actions.js';
import { useAdministered } from './administered.js';
import { type Found, type PaletteEntry, usePayments, useViews } from './entries.js';
import classes from './palette.module.css';
import { PALETTE_TEXTS } from './texts.js';

const SEARCH_AFTER_MS = 150;
const MAX_CHARACTERS = 100;

/** Objects with the words: of the merchant, or of all merchants for an administrator. */
function useFound(query: string): Found {
  const [payments, administered] = [usePayments(query), useAdministered(query)];
  return useSession().merchant === null ? administered : payments;
}

export function Palette({ onClose }: { readonly onClose: () => void }): ReactNode {
  const texts = useTexts(PALETTE_TEXTS);
  const isAdministrator = useSession().merchant === null;
  const placeholder = isAdministrator ? texts.adminPlaceholder : texts.placeholder;
  const list = useId();
  const [query, setQuery] = useState('');
  const [place, setPlace] = useState(0);
  const [searched] = useDebouncedValue(query.trim(), SEARCH_AFTER_MS);
  const words = query.trim();
  const views = [...useObject(words), ...useViews(words), ...useActions(words)];
  const { name, entries: found, notice } = useFound(searched);
  const entries = [...views, ...found];
  // Entries may have gone since the last key.
  const chosen = Math.min(place, entries.length - 1);
  const run = (entry: PaletteEntry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    entry.open();
    document.getElementById('content')?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setPlace((chosen + step + entries.length) % entries.length);
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing) run(entries[chosen]);
    else return;
    event.preventDefault();
  };
  const shared = { list, chosen, run };
  return (
    <PaletteDialog label={texts.open} onClose={onClose}>
      <TextInput
        {...FIRST_FIELD}
        className={classes.field}
        variant="unstyled"
        size="md"
        value={query}
        maxLength={MAX_CHARACTERS}
        placeholder={placeholder}
        aria-label={placeholder}
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={chosen < 0 ? undefined : `${list}-${chosen}`}
        autoComplete="off"
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          setPlace(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div className={classes.list} id={list} role="listbox" aria-label={texts.results}>
        <EntryGroup {...shared} name={texts.views} first={0} entries={views} />
        <EntryGroup {...shared} name={name} first={views.length} entries={found} />
      </div>
      <p className={classes.notice} role="status">
        {notice ?? (entries.length === 0 ? texts.nothing : '')}
      </p>
      <Shortcuts />
    </PaletteDialog>
  );
}

interface PaletteDialogProps {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

function PaletteDialog({ label, onClose, children }: PaletteDialogProps): ReactNode {
  return (
    <Modal.Root
      opened
      onClose={onClose}
      size="lg"
      yOffset="10vh"
      returnFocus={false}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label={label}>
        <Modal.Body p={0}>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

interface EntryGroupProps {
  readonly name: string;
  readonly entries: readonly PaletteEntry[];
  /** The place of the first entry among those of all groups. */
  readonly first: number;
  readonly list: string;
  readonly chosen: number;
  readonly run: (entry: PaletteEntry) => void;
}

function EntryGroup({ name, entries, first, list, chosen, run }: EntryGroupProps): ReactNode {
  if (entries.length === 0) return null;
  return (
    <div role="group" aria-label={name}>
      <div className={classes.group} aria-hidden>
        {name}
      </div>
      {entries.map((entry, index) => (
        <Entry
          key={entry.key}
          id={`${list}-${first + index}`}
          isChosen={first + index === chosen}
          entry={entry}
          onClick={() => {
            run(entry);
          }}
        />
      ))}
    </div>
  );
}

interface EntryProps {
  readonly id: string;
  readonly isChosen: boolean;
  readonly entry: PaletteEntry;
  readonly onClick: () => void;
}

function Entry({ id, isChosen, entry, onClick }: EntryProps): ReactNode {
  const option = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isChosen) option.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return (
    <div
      ref={option}
      id={id}
      role="option"
      aria-selected={isChosen}
      className={classes.entry}
      onClick={onClick}
    >
      {entry.content}
    </div>
  );
}

function Shortcuts(): ReactNode {
  const texts = useTexts(PALETTE_TEXTS);
  return (
    <dl className={classes.shortcuts} aria-label={texts.shortcuts}>
      {texts.keys.map(({ keys, meaning }) => (
        <div key={keys}>
          <dt>
            <Kbd size="xs">{keys}</Kbd>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
