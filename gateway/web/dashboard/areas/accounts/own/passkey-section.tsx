// The passkeys of the person: to add, rename and remove.
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { DetailView, Section } from '@dashboard/shared/parts/detail-view.js';
import { type Column, ListTable } from '@dashboard/shared/lists/list-table.js';
import { When } from '@dashboard/shared/parts/when.js';
import { hasPasskeys } from '@dashboard/shared/session/passkeys.js';
import { useSession } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { AddPasskeyDialog, RemovePasskeyDialog, RenamePasskeyDialog } from './passkey-dialogs.js';
import { loadPasskeys, type Passkey, PASSKEYS_KEY } from './passkey-requests.js';
import { PASSKEY_TEXTS, type PasskeyTexts } from './passkey-texts.js';

type Asked =
  { readonly kind: 'addition' } | { readonly kind: 'name' | 'removal'; readonly passkey: Passkey };

function listColumns(texts: PasskeyTexts, ask: (asked: Asked) => void): Column<Passkey>[] {
  return [
    { name: texts.name, render: ({ name }) => name },
    {
      name: texts.place,
      render: ({ is_synced: isSynced }) => (isSynced ? texts.synced : texts.oneDevice),
    },
    { name: texts.added, render: ({ created_at: at }) => <When at={at} /> },
    { name: texts.lastUsed, render: ({ last_used_at: at }) => <When at={at} isRelative /> },
    {
      name: texts.action,
      render: (passkey) => (
        <Group gap="xs">
          <RowButton
            label={texts.rename}
            name={texts.renameNamed(passkey.name)}
            onClick={() => {
              ask({ kind: 'name', passkey });
            }}
          />
          <RowButton
            label={texts.remove}
            name={texts.removeNamed(passkey.name)}
            onClick={() => {
              ask({ kind: 'removal', passkey });
            }}
          />
        </Group>
      ),
    },
  ];
}

interface RowButtonProps {
  readonly label: string;
  /** For screen readers: with the name of the passkey. */
  readonly name: string;
  readonly onClick: () => void;
}

function RowButton({ label, name, onClick }: RowButtonProps): ReactNode {
  return (
    <Button size="xs" variant="default" aria-label={name} onClick={onClick}>
      {label}
    </Button>
  );
}

interface PasskeySectionProps {
  readonly onNewCodes: (codes: readonly string[]) => void;
}

export function PasskeySection({ onNewCodes }: PasskeySectionProps): ReactNode {
  const texts = useTexts(PASSKEY_TEXTS);
  const { second_factor_required: mustEnrol } = useSession();
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = (): void => {
    setAsked(null);
  };
  const addButton = (
    <Button
      size="xs"
      disabled={!hasPasskeys()}
      onClick={() => {
        setAsked({ kind: 'addition' });
      }}
    >
      {texts.add}
    </Button>
  );
  return (
    <Section title={texts.title} actions={addButton}>
      <Stack>
        <Text size="sm">{hasPasskeys() ? texts.help : texts.unsupported}</Text>
        {!mustEnrol && <PasskeyList onAsk={setAsked} />}
      </Stack>
      {asked?.kind === 'addition' && <AddPasskeyDialog onNewCodes={onNewCodes} onClose={close} />}
      {asked?.kind === 'name' && <RenamePasskeyDialog passkey={asked.passkey} onClose={close} />}
      {asked?.kind === 'removal' && <RemovePasskeyDialog passkey={asked.passkey} onClose={close} />}
    </Section>
  );
}

function PasskeyList({ onAsk }: { readonly onAsk: (asked: Asked) => void }): ReactNode {
  const texts = useTexts(PASSKEY_TEXTS);
  const query = useQuery({ queryKey: PASSKEYS_KEY, queryFn: loadPasskeys });
  return (
    <DetailView query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <Text size="sm" c="dimmed">
            {texts.none}
          </Text>
        ) : (
          <ListTable
            label={texts.title}
            rows={data}
            columns={listColumns(texts, onAsk)}
            rowKey={({ id }) => id}
          />
        )
      }
    </DetailView>
  );
}
