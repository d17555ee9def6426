// The recovery codes of the person: how many are left, and new ones. They exist as long as a second factor does.
import { Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { queryClient } from '@dashboard/shared/api/queries.js';
import { Section } from '@dashboard/shared/parts/detail-view.js';
import { hasSecondFactor, sessionQuery, useSession } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { type Proof, ProofDialog } from './proof-dialog.js';
import { OWN_TEXTS } from './texts.js';

const FEW_CODES = 3;

interface RecoverySectionProps {
  readonly onNewCodes: (codes: readonly string[]) => void;
}

async function makeCodes(body: Proof): Promise<readonly string[]> {
  const answer = await unwrap(api.POST('/v1/auth/totp/recovery-codes', { body }));
  await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
  return answer.recovery_codes;
}

export function RecoverySection({ onNewCodes }: RecoverySectionProps): ReactNode {
  const texts = useTexts(OWN_TEXTS);
  const { user } = useSession();
  const [isAsking, setIsAsking] = useState(false);
  if (!hasSecondFactor(user)) return null;
  const left = user.recovery_codes_left;
  return (
    <Section title={texts.recoveryCodes}>
      <Stack>
        <Text size="sm">{texts.recoveryHelp}</Text>
        <Text size="sm" c={left <= FEW_CODES ? 'red' : 'dimmed'}>
          {texts.codesLeft(left)} {left <= FEW_CODES && texts.codesLow}
        </Text>
        <Group>
          <Button
            variant="default"
            onClick={() => {
              setIsAsking(true);
            }}
          >
            {texts.newCodes}
          </Button>
        </Group>
      </Stack>
      {isAsking && (
        <ProofDialog
          title={texts.newCodes}
          text={texts.newCodesHelp}
          action={texts.newCodes}
          send={makeCodes}
          onDone={onNewCodes}
          onClose={() => {
            setIsAsking(false);
          }}
        />
      )}
    </Section>
  );
}
