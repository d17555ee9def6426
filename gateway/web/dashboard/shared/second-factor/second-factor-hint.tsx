// Says that an action which reaches real money needs the second factor, and whether the person has one.
import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { hasSecondFactor, useSession } from '../session/session.js';
import { useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';

export function SecondFactorHint(): ReactNode {
  const { codeAsked, factorMissing } = useTexts(SHARED_TEXTS);
  const { user } = useSession();
  const hasFactor = hasSecondFactor(user);
  return (
    <Alert color={hasFactor ? 'brand' : 'yellow'}>{hasFactor ? codeAsked : factorMissing}</Alert>
  );
}
