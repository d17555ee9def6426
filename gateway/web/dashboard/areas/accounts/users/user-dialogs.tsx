// Changes the role of a user, or removes the user.
import { Checkbox, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from '@dashboard/shared/parts/confirm-dialog.js';
import { useStepUp } from '@dashboard/shared/second-factor/step-up.js';
import { forgetSession, useSession } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import {
  changeRole,
  findRole,
  loadWorkingKeys,
  remove,
  TEAM_KEYS_KEY,
  type User,
} from './requests.js';
import { RoleChoice, useMayGive } from './role-choice.js';
import { TEAM_TEXTS } from './texts.js';

interface UserDialogProps {
  readonly user: User;
  readonly onClose: () => void;
}

export function RoleDialog({ user, onClose }: UserDialogProps): ReactNode {
  const texts = useTexts(TEAM_TEXTS);
  const stepUp = useStepUp();
  const mayGive = useMayGive();
  const [role, setRole] = useState(findRole(user.role));
  const confirm = async (): Promise<void> => {
    await changeRole(stepUp, user, role);
    notifications.show({ message: texts.changed(user.email) });
  };
  return (
    <ConfirmDialog
      title={texts.changeNamed(user.email)}
      action={texts.change}
      isReady={mayGive(role)}
      isOpen
      onClose={onClose}
      onConfirm={confirm}
    >
      <RoleChoice value={role} onChange={setRole} />
    </ConfirmDialog>
  );
}

export function RemoveDialog({ user, onClose }: UserDialogProps): ReactNode {
  const texts = useTexts(TEAM_TEXTS);
  const session = useSession();
  const stepUp = useStepUp();
  const navigate = useNavigate();
  const [revokesKeys, setRevokesKeys] = useState(false);
  const { email, status } = user;
  const isSelf = user.id === session.user.id;
  const confirm = async (): Promise<void> => {
    await remove(stepUp, { user, revokesKeys });
    notifications.show({ message: texts.removed(email) });
    if (!isSelf) return;
    await navigate({ to: '/sign-in' });
    forgetSession();
  };
  const help = status === 'invited' ? texts.removeInvitedHelp(email) : texts.removeHelp(email);
  return (
    <ConfirmDialog
      title={texts.removeNamed(email)}
      action={texts.remove}
      isDangerous
      isOpen
      onClose={onClose}
      onConfirm={confirm}
    >
      <Text size="sm">{isSelf ? texts.removeSelfHelp : help}</Text>
      {status === 'active' && (
        <KeysOfUser user={user} revokesKeys={revokesKeys} onChange={setRevokesKeys} />
      )}
    </ConfirmDialog>
  );
}

interface KeysOfUserProps {
  readonly user: User;
  readonly revokesKeys: boolean;
  readonly onChange: (revokesKeys: boolean) => void;
}

/** Offers to revoke the keys that the user made, and names them: servers of the shop may use them. */
function KeysOfUser({ user, revokesKeys, onChange }: KeysOfUserProps): ReactNode {
  const texts = useTexts(TEAM_TEXTS);
  const { data = [] } = useQuery({ queryKey: TEAM_KEYS_KEY, queryFn: loadWorkingKeys });
  const names = data
    .filter(({ made_by: maker }) => maker?.id === user.id)
    .map(({ name, environment, last_four: end }) => `${name ?? `…${end}`} (${environment})`);
  return (
    <Checkbox
      label={texts.revokeKeys}
      description={names.length === 0 ? texts.noKeys : texts.revokeKeysHelp(names.join(', '))}
      checked={revokesKeys}
      onChange={({ currentTarget }) => {
        onChange(currentTarget.checked);
      }}
    />
  );
}
