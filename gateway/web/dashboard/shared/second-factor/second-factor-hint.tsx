// Says that an action which reaches real money needs the second factor, and whether the person has one.
import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { sendsMail } from '../parts/mailed.js';
import { hasSecondFactor, useSession } from '../session/session.js';
import { useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';

export function SecondFactorHint(): ReactNode {
  const { codeAsked, ownersMailed, factorMissing } = useTexts(SHARED_TEXTS);
  const { user } = useSession();
  const hasFactor = hasSecondFactor(user);
  const asked = sendsMail ? `${codeAsked} ${ownersMailed}` : codeAsked;
  return <Alert color={hasFactor ? 'brand' : 'yellow'}>{hasFactor ? asked : factorMissing}</Alert>;
}
