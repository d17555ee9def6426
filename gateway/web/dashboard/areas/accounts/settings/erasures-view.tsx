// Erasures of customers' data: their list with how far each is, and a new one.
import { Button, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import { EmptyHint, ListView } from '@dashboard/shared/lists/list-view.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { EraseDialog } from './erase-dialog.js';
import { SettingsPage } from './settings-page.js';
import { SETTINGS_TEXTS, type SettingsTexts } from './texts.js';

type Erasure = MerchantSchema['Erasure'];

const ERASURES_KEY = ['erasures'] as const;

function listColumns(texts: SettingsTexts): readonly Column<Erasure>[] {
  const fields: Readonly<Record<string, string>> = texts.byFields;
  return [
    { name: texts.by, render: ({ by }) => fields[by] ?? by },
    { name: texts.environment, render: ({ environment }) => environment },
    {
      name: texts.status,
      render: ({ status }) => (
        <StatusBadge
          status={status}
          label={
            status === 'completed' ? texts.erasureStatus.completed : texts.erasureStatus.pending
          }
        />
      ),
    },
    { name: texts.progress, render: ({ erased, found }) => texts.progressText(erased, found) },
    { name: texts.requested, render: ({ created_at: at }) => <When at={at} /> },
  ];
}

export function ErasuresView(): ReactNode {
  const texts = useTexts(SETTINGS_TEXTS);
  const { cursor } = useSearch({ from: '/signed-in/settings/erasures' });
  const navigate = useNavigate({ from: '/settings/erasures' });
  const [isErasing, setIsErasing] = useState(false);
  const load = (from: string | undefined) => {
    const query = from === undefined ? {} : { cursor: from };
    return unwrap(api.GET('/v1/merchants/me/erasures', { params: { query } }));
  };
  const eraseButton = (
    <Button
      color="red"
      onClick={() => {
        setIsErasing(true);
      }}
    >
      {texts.erase}
    </Button>
  );
  return (
    <SettingsPage actions={eraseButton} permission="erase_customers">
      <Text c="dimmed">{texts.erasuresHelp}</Text>
      <ListView
        label={texts.erasures}
        queryKey={ERASURES_KEY}
        load={load}
        columns={listColumns(texts)}
        rowKey={({ id }) => id}
        empty={<EmptyHint title={texts.noErasures} help={texts.noErasuresHelp} />}
        cursor={cursor}
        onCursor={(next) => void navigate({ search: (former) => ({ ...former, cursor: next }) })}
      />
      {isErasing && (
        <EraseDialog
          onClose={() => {
            setIsErasing(false);
          }}
        />
      )}
    </SettingsPage>
  );
}
