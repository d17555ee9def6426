// The users of the merchant. Owners invite, change roles and remove; the last owner stays.
import { Alert, Button, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { type Column, ListTable } from '@dashboard/shared/lists/list-table.js';
import { DetailView } from '@dashboard/shared/parts/detail-view.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import { MailNote } from '@dashboard/shared/parts/mailed.js';
import { hasSecondFactor, useCan, useSession } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { InviteDialog } from './invite-dialog.js';
import { findRole, loadTeam, TEAM_KEY, type User } from './requests.js';
import { TEAM_TEXTS, type TeamTexts } from './texts.js';
import { UserActions } from './user-actions.js';
import { RemoveDialog, RoleDialog } from './user-dialogs.js';

type Asked =
  { readonly kind: 'invite' } | { readonly kind: 'role' | 'removal'; readonly user: User };

function listColumns(texts: TeamTexts, ownId: string): Column<User>[] {
  return [
    {
      name: texts.email,
      render: ({ id, email }) => (
        <>
          {email} {id === ownId && <StatusBadge status="you" label={texts.you} tone="neutral" />}
        </>
      ),
    },
    { name: texts.role, render: ({ role }) => texts.roles[findRole(role)] },
    {
      name: texts.status,
      render: ({ status }) => (
        <StatusBadge
          status={status}
          label={status === 'invited' ? texts.invited : texts.active}
          tone={status === 'invited' ? 'waiting' : 'good'}
        />
      ),
    },
    {
      name: texts.factor,
      render: (user) => (hasSecondFactor(user) ? texts.factorOn : texts.factorOff),
    },
    { name: texts.since, render: ({ created_at: at }) => <When at={at} /> },
  ];
}

export function TeamView(): ReactNode {
  const texts = useTexts(TEAM_TEXTS);
  const { user } = useSession();
  const can = useCan();
  const [asked, setAsked] = useState<Asked | null>(null);
  const query = useQuery({ queryKey: TEAM_KEY, queryFn: loadTeam });
  const close = (): void => {
    setAsked(null);
  };
  const isVerified = user.email_verified;
  const mayChange = can('change_users');
  const inviteButton = (
    <Button
      disabled={!isVerified}
      onClick={() => {
        setAsked({ kind: 'invite' });
      }}
    >
      {texts.invite}
    </Button>
  );
  return (
    <Page title={texts.title} actions={mayChange ? inviteButton : undefined}>
      <Stack>
        <Text c="dimmed">{texts.help}</Text>
        {mayChange && !isVerified && <Alert color="yellow">{texts.needsVerified}</Alert>}
        {mayChange && !isVerified && <MailNote to={user.email} />}
        <DetailView query={query}>
          {({ data }) => <TeamTable users={data} onAsk={mayChange ? setAsked : null} />}
        </DetailView>
      </Stack>
      {asked?.kind === 'invite' && <InviteDialog onClose={close} />}
      {asked?.kind === 'role' && <RoleDialog user={asked.user} onClose={close} />}
      {asked?.kind === 'removal' && <RemoveDialog user={asked.user} onClose={close} />}
    </Page>
  );
}

interface TeamTableProps {
  readonly users: readonly User[];
  /** null: the role of the person changes nothing. */
  readonly onAsk: ((asked: Asked) => void) | null;
}

function TeamTable({ users, onAsk }: TeamTableProps): ReactNode {
  const texts = useTexts(TEAM_TEXTS);
  const { user } = useSession();
  const owners = users.filter(({ role, status }) => role === 'owner' && status === 'active');
  const columns = listColumns(texts, user.id);
  if (onAsk !== null) {
    columns.push({
      name: texts.action,
      render: (each) => (
        <UserActions
          user={each}
          isLastOwner={owners.length === 1 && owners[0]?.id === each.id}
          onAsk={onAsk}
        />
      ),
    });
  }
  return <ListTable label={texts.title} rows={users} columns={columns} rowKey={({ id }) => id} />;
}
