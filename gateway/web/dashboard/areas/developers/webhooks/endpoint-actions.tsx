// The actions on an endpoint: change it, send a test event, rotate its secret, switch it on or off, delete it.
import { Button, Menu } from '@mantine/core';
import ChevronDown from 'lucide-react/icons/chevron-down';
import { type ReactNode, useState } from 'react';
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import { SecretOnce } from '@dashboard/shared/parts/secret-once.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';
import { DeleteDialog, RotateDialog, SwitchDialog, TestDialog } from './endpoint-dialogs.js';
import { EndpointEditor } from './endpoint-editor.js';

type Endpoint = MerchantSchema['WebhookEndpoint'];
type Kind = 'edit' | 'test' | 'rotate' | 'switch' | 'delete';

const ICON_SIZE = 16;

export function EndpointActions({ endpoint }: { readonly endpoint: Endpoint }): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  const [kind, setKind] = useState<Kind | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const choose = (chosen: Kind) => () => {
    setKind(chosen);
  };
  const close = (): void => {
    setKind(null);
  };
  return (
    <>
      <Button onClick={choose('test')} disabled={!endpoint.active}>
        {webhooks.test}
      </Button>
      <Menu position="bottom-end" withinPortal={false}>
        <Menu.Target>
          <Button variant="default" rightSection={<ChevronDown size={ICON_SIZE} aria-hidden />}>
            {webhooks.actions}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={choose('edit')}>{webhooks.edit}</Menu.Item>
          <Menu.Item onClick={choose('rotate')}>{webhooks.rotate}</Menu.Item>
          <Menu.Item onClick={choose('switch')}>
            {endpoint.active ? webhooks.switchOff : webhooks.switchOn}
          </Menu.Item>
          <Menu.Item c="var(--mantine-color-error)" onClick={choose('delete')}>
            {webhooks.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {kind === 'edit' && (
        <EndpointEditor endpoint={endpoint} onMade={() => undefined} onClose={close} />
      )}
      {kind === 'test' && <TestDialog endpoint={endpoint} onClose={close} />}
      {kind === 'switch' && <SwitchDialog endpoint={endpoint} onClose={close} />}
      {kind === 'delete' && <DeleteDialog endpoint={endpoint} onClose={close} />}
      {kind === 'rotate' && (
        <RotateDialog endpoint={endpoint} onClose={close} onRotated={setSecret} />
      )}
      <SecretOnce
        title={webhooks.secretTitle}
        secret={secret}
        onDone={() => {
          setSecret(null);
        }}
      />
    </>
  );
}
