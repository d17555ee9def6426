// The person's own account: address and role, password, second factors, sessions.
import { Alert, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Facts, Section } from '@dashboard/shared/parts/detail-view.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { MailNote } from '@dashboard/shared/parts/mailed.js';
import { useSession } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { ResendVerification } from '../parts/resend-verification.js';
import { FactorSection } from './factor-section.js';
import { PasskeySection } from './passkey-section.js';
import { PasswordSection } from './password-section.js';
import { RecoveryCodes } from './recovery-codes.js';
import { RecoverySection } from './recovery-section.js';
import { SessionsSection } from './sessions-section.js';
import { OWN_TEXTS } from './texts.js';

export function AccountView(): ReactNode {
  const texts = useTexts(OWN_TEXTS);
  const { second_factor_required: mustEnrol } = useSession();
  const [newCodes, setNewCodes] = useState<readonly string[] | null>(null);
  if (newCodes !== null) {
    return (
      <Page title={texts.codesTitle}>
        <RecoveryCodes
          codes={newCodes}
          onStored={() => {
            setNewCodes(null);
          }}
        />
      </Page>
    );
  }
  return (
    <Page title={texts.title}>
      <Stack>
        {mustEnrol && <Alert color="yellow">{texts.enrolFirst}</Alert>}
        <PersonSection />
        {!mustEnrol && <PasswordSection />}
        <PasskeySection onNewCodes={setNewCodes} />
        <FactorSection />
        {!mustEnrol && <RecoverySection onNewCodes={setNewCodes} />}
        {!mustEnrol && <SessionsSection />}
      </Stack>
    </Page>
  );
}

function PersonSection(): ReactNode {
  const texts = useTexts(OWN_TEXTS);
  const { user } = useSession();
  const { email, email_verified: isVerified } = user;
  const roles: Readonly<Record<string, string>> = texts.roles;
  return (
    <Section title={texts.person}>
      <Stack>
        <Facts
          facts={[
            [
              texts.email,
              <Group key="email" gap="xs">
                {email}
                <StatusBadge
                  status="address"
                  label={isVerified ? texts.verified : texts.notVerified}
                  tone={isVerified ? 'good' : 'waiting'}
                />
              </Group>,
            ],
            [texts.role, roles[user.role] ?? user.role],
          ]}
        />
        {!isVerified && (
          <Alert color="yellow">
            <Text size="sm" mb="xs">
              {texts.notVerifiedHelp}
            </Text>
            <ResendVerification email={email} />
          </Alert>
        )}
        {!isVerified && <MailNote to={email} />}
      </Stack>
    </Section>
  );
}
