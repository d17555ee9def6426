// The columns of the API keys.
import { Button, Group, Stack, Text } from '@mantine/core';
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import partClasses from '@dashboard/shared/parts/parts.module.css';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { Tags } from '@dashboard/shared/parts/tags.js';
import { When } from '@dashboard/shared/parts/when.js';
import type { DevelopersTexts } from '../parts/texts.js';

export type ApiKey = MerchantSchema['ApiKey'];
export type NewApiKey = MerchantSchema['NewApiKey'];

export interface KeyAction {
  readonly kind: 'roll' | 'revoke';
  readonly key: ApiKey;
}

export const nameKey = ({ name, prefix, last_four: end }: ApiKey): string =>
  name ?? `${prefix}…${end}`;

const TONES = { active: 'good', expiring: 'waiting', revoked: 'neutral' } as const;

/** `onAction` null: the role may only read. */
export function listKeyColumns(
  texts: DevelopersTexts,
  onAction: ((action: KeyAction) => void) | null,
): readonly Column<ApiKey>[] {
  const { keys } = texts;
  return [
    {
      name: keys.name,
      render: (key) => (
        <Stack gap={0} miw="9.5rem">
          <Text size="sm" fw={600}>
            {key.name ?? keys.unnamed}
          </Text>
          <span className={partClasses.identifier}>
            {key.prefix}…{key.last_four}
          </span>
        </Stack>
      ),
    },
    {
      name: keys.status,
      render: ({ status }) => (
        <StatusBadge status={status} label={keys.statuses[status]} tone={TONES[status]} />
      ),
    },
    { name: keys.scopes, render: ({ scopes }) => <Scopes scopes={scopes} texts={texts} /> },
    {
      name: keys.addresses,
      render: ({ allowed_addresses: list }) =>
        list.length === 0 ? keys.anywhere : list.join(', '),
    },
    {
      name: keys.created,
      render: ({ created_at: at, made_by: maker }) => (
        <Stack gap={0}>
          <When at={at} />
          <Text size="xs" c="dimmed">
            {nameMaker(maker, texts)}
          </Text>
        </Stack>
      ),
    },
    {
      name: keys.lastUsed,
      render: ({ last_used_at: at }) => (at === null ? keys.never : <When at={at} isRelative />),
    },
    { name: keys.ends, render: ({ revoked_at: at }) => <When at={at} /> },
    ...(onAction === null ? [] : [buildActionColumn(texts, onAction)]),
  ];
}

function nameMaker(maker: ApiKey['made_by'], { keys }: DevelopersTexts): string {
  if (maker === null) return keys.madeByOperator;
  const name = maker.email ?? keys.erasedMaker;
  return maker.is_removed ? keys.madeByRemoved(name) : keys.madeBy(name);
}

function buildActionColumn(
  { keys }: DevelopersTexts,
  onAction: (action: KeyAction) => void,
): Column<ApiKey> {
  const buildButton = (kind: KeyAction['kind'], key: ApiKey) => (
    <Button
      size="compact-sm"
      variant="subtle"
      color={kind === 'revoke' ? 'red' : 'brand'}
      aria-label={keys.actionOn[kind](nameKey(key))}
      onClick={() => {
        onAction({ kind, key });
      }}
    >
      {keys.actions[kind]}
    </Button>
  );
  return {
    name: keys.action,
    render: (key) =>
      key.status === 'revoked' ? (
        '—'
      ) : (
        <Group gap={4} wrap="nowrap">
          {key.status === 'active' && buildButton('roll', key)}
          {buildButton('revoke', key)}
        </Group>
      ),
  };
}

function Scopes({
  scopes,
  texts: { keys },
}: {
  readonly scopes: readonly string[];
  readonly texts: DevelopersTexts;
}) {
  const shown = scopes.length === 0 ? ['read', 'write'] : scopes;
  const names: Readonly<Record<string, string>> = keys.scopeNames;
  return <Tags names={shown.map((scope) => names[scope] ?? scope)} />;
}
