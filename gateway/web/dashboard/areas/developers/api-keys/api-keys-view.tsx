// The API keys of the merchant in the environment.
import { Button, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, type MerchantQuery } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { EmptyHint, ListView } from '@dashboard/shared/lists/list-view.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { SecretOnce } from '@dashboard/shared/parts/secret-once.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { useCan } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { keepMadeKey } from '../first-steps/made-key.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';
import { CreateKeyDialog } from './create-key-dialog.js';
import { KeyActionDialog } from './key-action-dialog.js';
import { type KeyAction, listKeyColumns, type NewApiKey } from './key-columns.js';

const PATH = '/v1/merchants/me/api-keys';

export function ApiKeysView(): ReactNode {
  const { keys } = useTexts(DEVELOPERS_TEXTS);
  const canChange = useCan()('change_keys');
  const client = useQueryClient();
  const [isCreating, setIsCreating] = useState(false);
  const [action, setAction] = useState<KeyAction | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const close = (): void => {
    setIsCreating(false);
    setAction(null);
  };
  const showSecret = (made: NewApiKey): void => {
    keepMadeKey(made);
    setIsCreating(false);
    setSecret(made.secret);
    void client.invalidateQueries({ queryKey: ['api-keys'] });
  };
  const create = canChange && (
    <Button
      onClick={() => {
        setIsCreating(true);
      }}
    >
      {keys.create}
    </Button>
  );
  return (
    <Page title={keys.title} actions={create}>
      <Text c="dimmed">{keys.about}</Text>
      <KeyList create={create} onAction={canChange ? setAction : null} />
      {isCreating && <CreateKeyDialog onMade={showSecret} onClose={close} />}
      {action !== null && <KeyActionDialog action={action} onRolled={showSecret} onClose={close} />}
      <SecretOnce
        title={keys.secretTitle}
        secret={secret}
        onDone={() => {
          setSecret(null);
        }}
      />
    </Page>
  );
}

interface KeyListProps {
  /** The button of the empty state. */
  readonly create: ReactNode;
  readonly onAction: ((action: KeyAction) => void) | null;
}

function KeyList({ create, onAction }: KeyListProps): ReactNode {
  const texts = useTexts(DEVELOPERS_TEXTS);
  const environment = useEnvironment();
  const { cursor } = useSearch({ from: '/signed-in/api-keys' });
  const navigate = useNavigate({ from: '/api-keys' });
  const load = (from: string | undefined) => {
    const query = { environment, cursor: from } as MerchantQuery<typeof PATH>;
    return unwrap(api.GET(PATH, { params: { query } }));
  };
  return (
    <ListView
      label={texts.keys.title}
      queryKey={['api-keys', environment]}
      load={load}
      columns={listKeyColumns(texts, onAction)}
      rowKey={({ id }) => id}
      empty={
        <EmptyHint title={texts.keys.none(environment)} help={texts.keys.noneHelp}>
          {create}
        </EmptyHint>
      }
      cursor={cursor}
      onCursor={(next) => void navigate({ search: (former) => ({ ...former, cursor: next }) })}
    />
  );
}
