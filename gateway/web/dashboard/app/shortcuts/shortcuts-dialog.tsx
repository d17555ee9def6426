// All shortcuts of the keyboard, and a switch for those of one character.
import { Kbd, Modal, Stack, Switch, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ReturnFocus } from '@dashboard/shared/parts/confirm-dialog.js';
import { useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { useNavigation } from '../navigation/navigation.js';
import { areShortcutsOn, switchShortcuts } from './character-keys.js';
import classes from './shortcuts.module.css';
import { SHORTCUT_TEXTS } from './texts.js';

interface Shortcut {
  readonly keys: string;
  readonly meaning: string;
}

export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const texts = useTexts(SHORTCUT_TEXTS);
  const { close } = useTexts(SHARED_TEXTS);
  const { language } = useLanguage();
  const [isOn, setIsOn] = useState(areShortcutsOn);
  const views = useNavigation().map(({ letter, name }) => ({
    keys: `g ${letter}`,
    meaning: name[language],
  }));
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.title}
      size="lg"
      closeButtonProps={{ 'aria-label': close }}
    >
      <ReturnFocus />
      <Stack>
        <ShortcutList name={texts.everywhere} shortcuts={texts.keys} />
        <ShortcutList name={texts.views} shortcuts={views} />
        <Switch
          label={texts.isOn}
          description={texts.isOnHelp}
          checked={isOn}
          onChange={({ currentTarget: { checked } }) => {
            switchShortcuts(checked);
            setIsOn(checked);
          }}
        />
      </Stack>
    </Modal>
  );
}

interface ShortcutListProps {
  readonly name: string;
  readonly shortcuts: readonly Shortcut[];
}

function ShortcutList({ name, shortcuts }: ShortcutListProps): ReactNode {
  return (
    <section>
      <Title order={3} size="h6" mb="xs">
        {name}
      </Title>
      <dl className={classes.list}>
        {shortcuts.map(({ keys, meaning }) => (
          <div key={keys}>
            <dt>
              <Kbd>{keys}</Kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
