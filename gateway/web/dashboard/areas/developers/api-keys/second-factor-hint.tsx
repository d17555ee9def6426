// Says that a key which can reach real money needs the second factor, and whether the person has one.
import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { hasSecondFactor, useSession } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { DEVELOPERS_TEXTS } from '../texts.js';

export function SecondFactorHint(): ReactNode {
  const { keys } = useTexts(DEVELOPERS_TEXTS);
  const { user } = useSession();
  const hasFactor = hasSecondFactor(user);
  return (
    <Alert color={hasFactor ? 'brand' : 'yellow'}>
      {hasFactor ? keys.codeAsked : keys.factorMissing}
    </Alert>
  );
}
