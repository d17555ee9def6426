// The actions of an owner on a user. The last owner stays, and the row says why.
import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '@dashboard/shared/text/language.js';
import type { User } from './requests.js';
import { TEAM_TEXTS } from './texts.js';

interface UserActionsProps {
  readonly user: User;
  readonly isLastOwner: boolean;
  readonly onAsk: (asked: { readonly kind: 'role' | 'removal'; readonly user: User }) => void;
}

export function UserActions({ user, isLastOwner, onAsk }: UserActionsProps): ReactNode {
  const texts = useTexts(TEAM_TEXTS);
  if (isLastOwner) {
    return (
      <Text size="xs" c="dimmed" maw={220}>
        {texts.lastOwner}
      </Text>
    );
  }
  return (
    <Group gap="xs">
      <Button
        size="xs"
        variant="default"
        aria-label={texts.changeNamed(user.email)}
        onClick={() => {
          onAsk({ kind: 'role', user });
        }}
      >
        {texts.change}
      </Button>
      <Button
        size="xs"
        variant="default"
        aria-label={texts.removeNamed(user.email)}
        onClick={() => {
          onAsk({ kind: 'removal', user });
        }}
      >
        {texts.remove}
      </Button>
    </Group>
  );
}
