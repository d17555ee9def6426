// The fields of the verification form by step, each with its rule, and with the reason of a rejection.
import { SimpleGrid, Select, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { payoutBanksQuery } from '@dashboard/shared/api/payout-banks.js';
import { DetailView } from '@dashboard/shared/parts/detail-view.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { BUSINESS_TYPES, type FieldName, type KycValues } from './form-values.js';
import { KYC_TEXTS } from './texts.js';

export type KycForm = UseFormReturnType<KycValues>;

interface StepProps {
  readonly form: KycForm;
}

interface FieldProps extends StepProps {
  readonly name: FieldName;
  readonly isNumber?: boolean;
  readonly maxLength: number;
}

function Field({ form, name, isNumber = false, maxLength }: FieldProps): ReactNode {
  const texts = useTexts(KYC_TEXTS);
  const help: Readonly<Record<string, string>> = texts.help;
  return (
    <TextInput
      label={texts.fields[name]}
      description={help[name]}
      inputMode={isNumber ? 'numeric' : 'text'}
      autoComplete="off"
      maxLength={maxLength}
      required
      {...form.getInputProps(name)}
    />
  );
}

export function BusinessFields({ form }: StepProps): ReactNode {
  const texts = useTexts(KYC_TEXTS);
  return (
    <Stack>
      <Field form={form} name="legal_name" maxLength={200} />
      <Select
        label={texts.fields.business_type}
        data={BUSINESS_TYPES.map((value) => ({ value, label: texts.types[value] }))}
        allowDeselect={false}
        required
        {...form.getInputProps('business_type')}
      />
      <Field form={form} name="tax_id" isNumber maxLength={30} />
      <Field form={form} name="address.street" maxLength={200} />
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Field form={form} name="address.city" maxLength={100} />
        <Field form={form} name="address.province" maxLength={100} />
        <Field form={form} name="address.postal_code" isNumber maxLength={30} />
      </SimpleGrid>
    </Stack>
  );
}

export function BankFields({ form }: StepProps): ReactNode {
  const texts = useTexts(KYC_TEXTS);
  const query = useQuery(payoutBanksQuery);
  return (
    <Stack>
      <DetailView query={query}>
        {({ data }) => (
          <Select
            label={texts.fields['bank_account.bank_code']}
            data={data.map(({ code, name }) => ({ value: code, label: name }))}
            searchable
            required
            {...form.getInputProps('bank_account.bank_code')}
          />
        )}
      </DetailView>
      <Field form={form} name="bank_account.account_number" isNumber maxLength={30} />
      <Field form={form} name="bank_account.account_holder" maxLength={128} />
    </Stack>
  );
}

export function RepresentativeFields({ form }: StepProps): ReactNode {
  return (
    <Stack>
      <Field form={form} name="representative.name" maxLength={128} />
      <Field form={form} name="representative.identity_number" isNumber maxLength={30} />
      <Field form={form} name="representative.position" maxLength={100} />
    </Stack>
  );
}
