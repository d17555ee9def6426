// The administrators. One disables another; those without a second factor stand out.
import { Alert, Button, Card, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { adminApi, type AdministratorSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ConfirmDialog } from '@dashboard/shared/parts/confirm-dialog.js';
import { DetailView } from '@dashboard/shared/parts/detail-view.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import { sendsMail } from '@dashboard/shared/parts/mailed.js';
import { useSession } from '@dashboard/shared/session/session.js';
import { formatCount } from '@dashboard/shared/text/format.js';
import { useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { ConfirmByName } from '../parts/confirm-by-name.js';
import { Permitted } from '../parts/permitted.js';
import { ADMIN_TEXTS } from '../parts/texts.js';
import { administratorsQuery } from './administrator-name.js';
import { OPERATIONS_TEXTS } from './texts.js';

type Administrator = AdministratorSchema['Administrator'];

export function AdministratorsView(): ReactNode {
  const texts = useTexts(OPERATIONS_TEXTS);
  const { language } = useLanguage();
  const query = useQuery(administratorsQuery);
  const isExposed = ({ status, second_factor_enabled: hasFactor }: Administrator): boolean =>
    status === 'active' && !hasFactor;
  const exposed = query.data?.data.filter(isExposed).length ?? 0;
  return (
    <Page title={texts.administrators}>
      {exposed > 0 && (
        <Alert color="yellow">{texts.withoutFactor(formatCount(exposed, language))}</Alert>
      )}
      <DetailView query={query}>
        {({ data }) => (
          <Stack gap="sm">
            {data.map((each) => (
              <AdministratorCard key={each.id} administrator={each} />
            ))}
          </Stack>
        )}
      </DetailView>
      <Text size="sm" c="dimmed">
        {texts.newOnes} <Code>kasir admin create</Code>, <Code>kasir admin role</Code>
      </Text>
    </Page>
  );
}

function AdministratorCard({
  administrator,
}: {
  readonly administrator: Administrator;
}): ReactNode {
  const texts = useTexts(OPERATIONS_TEXTS);
  const { user } = useSession();
  /** As it was when the dialog opened: the answer changes it before the dialog closes. */
  const [asked, setAsked] = useState<Administrator | null>(null);
  const { id, email, status } = administrator;
  const isActive = status === 'active';
  const isSelf = id === user.id;
  return (
    <Card withBorder>
      <Group justify="space-between">
        <AdministratorFacts administrator={administrator} isSelf={isSelf} />
        {!isSelf && (
          <Permitted to="administrate" isQuiet>
            <Button
              variant={isActive ? 'outline' : 'default'}
              {...(isActive ? { color: 'red' } : {})}
              aria-label={`${isActive ? texts.disable : texts.enable}: ${email}`}
              onClick={() => {
                setAsked(administrator);
              }}
            >
              {isActive ? texts.disable : texts.enable}
            </Button>
          </Permitted>
        )}
      </Group>
      {asked !== null && (
        <ChangeDialog
          administrator={asked}
          onClose={() => {
            setAsked(null);
          }}
        />
      )}
    </Card>
  );
}

interface AdministratorFactsProps {
  readonly administrator: Administrator;
  readonly isSelf: boolean;
}

function AdministratorFacts({ administrator, isSelf }: AdministratorFactsProps): ReactNode {
  const texts = useTexts(OPERATIONS_TEXTS);
  const { created } = useTexts(ADMIN_TEXTS);
  const { email, role, status, created_at: at } = administrator;
  const { second_factor_enabled: hasFactor } = administrator;
  const roles: Readonly<Record<string, string>> = texts.roles;
  return (
    <Stack gap={4} miw={0}>
      <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
        {email}{' '}
        {isSelf && (
          <Text span c="dimmed">
            ({texts.you})
          </Text>
        )}
      </Text>
      <Text size="sm">{roles[role] ?? role}</Text>
      <Group gap="xs">
        <StatusBadge status={status} label={status === 'active' ? texts.active : texts.disabled} />
        <StatusBadge
          status={hasFactor ? 'active' : 'overdue'}
          label={`${texts.factor}: ${hasFactor ? texts.factorOn : texts.factorOff}`}
        />
      </Group>
      <Text size="sm" c="dimmed">
        {created}: <When at={at} />
      </Text>
    </Stack>
  );
}

interface ChangeDialogProps {
  readonly administrator: Administrator;
  readonly onClose: () => void;
}

function ChangeDialog({ administrator, onClose }: ChangeDialogProps): ReactNode {
  const texts = useTexts(OPERATIONS_TEXTS);
  const queries = useQueryClient();
  const { id, email, status } = administrator;
  const params = { path: { user_id: id } };
  const change = async (verb: 'disable' | 'enable'): Promise<void> => {
    await unwrap(adminApi.POST(`/v1/admin/administrators/{user_id}/${verb}`, { params }));
    await queries.invalidateQueries({ queryKey: ['admin'] });
  };
  if (status === 'active') {
    return (
      <ConfirmByName
        title={texts.disableTitle}
        name={email}
        action={texts.disable}
        onClose={onClose}
        onConfirm={() => change('disable')}
      >
        <Text size="sm">
          {texts.disableHelp} {sendsMail && texts.allMailed}
        </Text>
      </ConfirmByName>
    );
  }
  return (
    <ConfirmDialog
      title={texts.enableTitle}
      action={texts.enable}
      isOpen
      onClose={onClose}
      onConfirm={() => change('enable')}
    >
      <Text fw={600}>{email}</Text>
      <Text size="sm">
        {texts.enableHelp} {sendsMail && texts.allMailed}
      </Text>
    </ConfirmDialog>
  );
}
