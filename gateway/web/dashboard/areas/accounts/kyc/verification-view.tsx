// The verification of the business by its state. Only UNVERIFIED and REJECTED lead to the form.
import { Alert, Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { DetailView, Facts, Section } from '@dashboard/shared/parts/detail-view.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import { MailNote } from '@dashboard/shared/parts/mailed.js';
import { useSession } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import type { Kyc } from './form-values.js';
import { KycFormView } from './kyc-form.js';
import { kycQuery } from './kyc-query.js';
import { Review } from './review.js';
import { KYC_TEXTS } from './texts.js';

type Status = keyof (typeof KYC_TEXTS)['en']['states'];

const TONES = {
  UNVERIFIED: 'neutral',
  PENDING: 'waiting',
  APPROVED: 'good',
  REJECTED: 'bad',
  SUSPENDED: 'bad',
} as const satisfies Record<Status, string>;

export function VerificationView(): ReactNode {
  const texts = useTexts(KYC_TEXTS);
  const query = useQuery(kycQuery);
  return (
    <Page title={texts.title}>
      <DetailView query={query}>{(kyc) => <VerificationState kyc={kyc} />}</DetailView>
    </Page>
  );
}

function VerificationState({ kyc }: { readonly kyc: Kyc }): ReactNode {
  const [isEditing, setIsEditing] = useState(false);
  const status = kyc.verificationStatus;
  const mayEdit = status === 'UNVERIFIED' || status === 'REJECTED';
  return (
    <Stack maw={760}>
      <StateCard kyc={kyc} status={status} />
      {mayEdit && isEditing && <KycFormView kyc={kyc} />}
      {mayEdit && !isEditing && (
        <BeginButton
          status={status}
          onBegin={() => {
            setIsEditing(true);
          }}
        />
      )}
      {!mayEdit && kyc.submission !== null && <Submitted kyc={kyc} />}
    </Stack>
  );
}

interface StateCardProps {
  readonly kyc: Kyc;
  readonly status: Status;
}

function StateCard({ kyc, status }: StateCardProps): ReactNode {
  const texts = useTexts(KYC_TEXTS);
  const { submission } = kyc;
  const reasons = status === 'REJECTED' ? Object.entries(submission?.field_reasons ?? {}) : [];
  const fields: Readonly<Record<string, string>> = texts.fields;
  return (
    <Section
      title={texts.state}
      actions={<StatusBadge status={status} label={texts.states[status]} tone={TONES[status]} />}
    >
      <Stack>
        <Text size="sm">{status === 'UNVERIFIED' ? texts.intro : texts.stateHelp[status]}</Text>
        {status === 'REJECTED' && (
          <Alert color="red" title={texts.reason}>
            <Text size="sm">{submission?.reason ?? ''}</Text>
            {reasons.map(([name, reason]) => (
              <Text key={name} size="sm">
                {fields[name] ?? name}: {reason}
              </Text>
            ))}
          </Alert>
        )}
        {submission !== null && (
          <Facts
            facts={[
              [texts.submitted, <When key="submitted" at={submission.submitted_at} />],
              [texts.decided, submission.decided_at && <When at={submission.decided_at} />],
            ]}
          />
        )}
      </Stack>
    </Section>
  );
}

interface BeginButtonProps {
  readonly status: Status;
  readonly onBegin: () => void;
}

function BeginButton({ status, onBegin }: BeginButtonProps): ReactNode {
  const texts = useTexts(KYC_TEXTS);
  const { user } = useSession();
  if (!user.email_verified) {
    return (
      <>
        <Alert color="yellow">{texts.needsVerified}</Alert>
        <MailNote to={user.email} />
      </>
    );
  }
  return (
    <div>
      <Button onClick={onBegin}>{status === 'REJECTED' ? texts.correct : texts.start}</Button>
    </div>
  );
}

function Submitted({ kyc }: { readonly kyc: Kyc }): ReactNode {
  const texts = useTexts(KYC_TEXTS);
  if (kyc.submission === null) return null;
  return (
    <Section title={texts.submitted}>
      <Review values={kyc.submission} documents={kyc.documents} />
    </Section>
  );
}
