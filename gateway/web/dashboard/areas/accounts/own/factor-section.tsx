// The authenticator app as a second factor: whether it is on, and its removal.
import { Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { queryClient } from '@dashboard/shared/api/queries.js';
import { Section } from '@dashboard/shared/parts/detail-view.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { sessionQuery, useSession } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { type Proof, ProofDialog } from './proof-dialog.js';
import { OWN_TEXTS } from './texts.js';

export function FactorSection(): ReactNode {
  const texts = useTexts(OWN_TEXTS);
  const { user } = useSession();
  const isOn = user.totp_enabled;
  return (
    <Section
      title={texts.factor}
      actions={
        <StatusBadge
          status={isOn ? 'on' : 'off'}
          label={isOn ? texts.factorOn : texts.factorOff}
          tone={isOn ? 'good' : 'neutral'}
        />
      }
    >
      <Stack>
        <Text size="sm">{isOn ? texts.factorOnHelp : texts.factorOffHelp}</Text>
        <Group>
          {isOn ? (
            <RemoveButton />
          ) : (
            <Button component={Link} to="/account/second-factor">
              {texts.setUp}
            </Button>
          )}
        </Group>
      </Stack>
    </Section>
  );
}

async function removeFactor(body: Proof): Promise<void> {
  await unwrap(api.DELETE('/v1/auth/totp', { body }));
  await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

function RemoveButton(): ReactNode {
  const texts = useTexts(OWN_TEXTS);
  const { user } = useSession();
  const [isAsking, setIsAsking] = useState(false);
  const close = (): void => {
    setIsAsking(false);
  };
  return (
    <>
      <Button
        variant="default"
        onClick={() => {
          setIsAsking(true);
        }}
      >
        {texts.remove}
      </Button>
      {isAsking && (
        <ProofDialog
          title={texts.removeFactor}
          text={user.passkeys > 0 ? texts.removeOneFactorHelp : texts.removeFactorHelp}
          action={texts.remove}
          isDangerous
          send={removeFactor}
          onDone={() => {
            close();
            notifications.show({ message: texts.factorRemoved });
          }}
          onClose={close}
        />
      )}
    </>
  );
}
