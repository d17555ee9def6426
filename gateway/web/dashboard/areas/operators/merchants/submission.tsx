// The fields that a merchant submitted for its verification, with the reasons of the last decision beside the fields.
import { Alert, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Facts, Section } from '@dashboard/shared/parts/detail-view.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import type { MerchantDetails } from './merchant.js';
import { MERCHANT_TEXTS } from './texts.js';

export type SubmittedKyc = NonNullable<MerchantDetails['kyc']['submission']>;

export const KYC_FIELDS = [
  ...(['legal_name', 'business_type', 'tax_id', 'address.street', 'address.city'] as const),
  ...(['address.province', 'address.postal_code', 'bank_account.bank_code'] as const),
  ...(['bank_account.account_number', 'bank_account.account_holder'] as const),
  ...(['representative.name', 'representative.identity_number'] as const),
  ...(['representative.position'] as const),
] as const;
export type KycField = (typeof KYC_FIELDS)[number];

/** `address.city` reads the field `city` of the object `address`. */
export function readField(submission: SubmittedKyc, field: KycField): string {
  let value: unknown = submission;
  for (const name of field.split('.')) value = (value as Record<string, unknown>)[name];
  return String(value);
}

export function Submission({
  submission,
}: {
  readonly submission: SubmittedKyc | null;
}): ReactNode {
  const texts = useTexts(MERCHANT_TEXTS);
  if (submission === null) {
    return (
      <Section title={texts.submission}>
        <Text fw={600}>{texts.noSubmission}</Text>
        <Text c="dimmed">{texts.noSubmissionHelp}</Text>
      </Section>
    );
  }
  const { reason, field_reasons: reasons } = submission;
  return (
    <Section title={texts.submission}>
      <Stack>
        {reason !== null && <Alert color="red">{reason}</Alert>}
        <Facts
          facts={KYC_FIELDS.map((field) => [
            texts.fields[field],
            <FieldValue key={field} value={readField(submission, field)} reason={reasons[field]} />,
          ])}
        />
      </Stack>
    </Section>
  );
}

interface FieldValueProps {
  readonly value: string;
  readonly reason: string | undefined;
}

function FieldValue({ value, reason }: FieldValueProps): ReactNode {
  return (
    <>
      {value}
      {reason !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)">
          {reason}
        </Text>
      )}
    </>
  );
}
