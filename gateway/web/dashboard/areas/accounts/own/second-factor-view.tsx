// Sets up the authenticator app: PASSWORD → SCAN → CODES. The API shows the key and the recovery codes only once.
import { Alert, Anchor, Card, Stack, Stepper } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import { queryClient } from '@dashboard/shared/api/queries.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { sessionQuery, useSession } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { PasswordStep, ScanStep } from './factor-steps.js';
import { RecoveryCodes } from './recovery-codes.js';
import { OWN_TEXTS } from './texts.js';

type Enrolment =
  | { readonly step: 'password' }
  | { readonly step: 'scan'; readonly secret: MerchantSchema['TotpSecret'] }
  | { readonly step: 'codes'; readonly codes: readonly string[] };

const STEPS = ['password', 'scan', 'codes'] as const;

export function SecondFactorView(): ReactNode {
  const texts = useTexts(OWN_TEXTS);
  const { user } = useSession();
  const navigate = useNavigate();
  const [enrolment, setEnrolment] = useState<Enrolment>({ step: 'password' });
  const finish = async (): Promise<void> => {
    await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
    await navigate({ to: '/account' });
  };
  if (user.totp_enabled && enrolment.step === 'password') {
    return (
      <Page title={texts.setUpTitle}>
        <Alert color="green">{texts.alreadyOn}</Alert>
        <Anchor component={Link} to="/account">
          {texts.back}
        </Anchor>
      </Page>
    );
  }
  return (
    <Page title={enrolment.step === 'codes' ? texts.codesTitle : texts.setUpTitle}>
      <Stack maw={640}>
        <Stepper active={STEPS.indexOf(enrolment.step)} size="sm" visibleFrom="sm" aria-hidden>
          {STEPS.map((step) => (
            <Stepper.Step key={step} label={texts.steps[step]} allowStepSelect={false} />
          ))}
        </Stepper>
        {enrolment.step === 'codes' ? (
          <RecoveryCodes codes={enrolment.codes} onStored={() => void finish()} />
        ) : (
          <Card withBorder>
            {enrolment.step === 'password' ? (
              <PasswordStep
                onDone={(secret) => {
                  setEnrolment({ step: 'scan', secret });
                }}
              />
            ) : (
              <ScanStep
                secret={enrolment.secret}
                onDone={(codes) => {
                  setEnrolment({ step: 'codes', codes });
                }}
              />
            )}
          </Card>
        )}
      </Stack>
    </Page>
  );
}
