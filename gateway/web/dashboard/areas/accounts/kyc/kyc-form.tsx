// The verification form: BUSINESS → BANK → REPRESENTATIVE → DOCUMENTS → REVIEW. A step is left forwards only when its fields
// are right. An error of the API leads to the step of its field.
import { Button, Card, Group, Stack, Stepper, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { findFieldErrors } from '@dashboard/shared/forms/form-errors.js';
import { useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { DocumentsStep } from './documents-step.js';
import { BankFields, BusinessFields, type KycForm, RepresentativeFields } from './fields.js';
import {
  buildValues,
  FIELD_NAMES,
  findStepErrors,
  findStepOf,
  type Kyc,
  type KycValues,
  leaveOutStep,
  type Step,
  STEPS,
} from './form-values.js';
import { submitKyc } from './kyc-query.js';
import { Review } from './review.js';
import { KYC_TEXTS } from './texts.js';

export function KycFormView({ kyc }: { readonly kyc: Kyc }): ReactNode {
  const texts = useTexts(KYC_TEXTS);
  const { language } = useLanguage();
  const reasons = kyc.submission?.field_reasons ?? {};
  const [step, setStep] = useState<Step>(findStepOf(reasons) ?? 'business');
  const form = useForm<KycValues>({
    initialValues: buildValues(kyc),
    initialErrors: reasons,
  });
  const { mutate, error, isPending } = useMutation({
    mutationFn: submitKyc,
    onSuccess: () => {
      notifications.show({ message: texts.sent });
    },
    onError: (failure) => {
      const errors = findFieldErrors(language, failure, FIELD_NAMES);
      form.setErrors({ ...errors });
      setStep(findStepOf(errors) ?? step);
    },
  });
  const at = STEPS.indexOf(step);
  const goOn = (): void => {
    const errors = findStepErrors(form.getValues(), step, texts);
    form.setErrors({ ...leaveOutStep(form.errors, step), ...errors });
    if (Object.keys(errors).length === 0) setStep(STEPS[at + 1] ?? 'review');
  };
  const goBack = (): void => {
    setStep(STEPS[at - 1] ?? 'business');
  };
  const send = (): void => {
    mutate(form.getValues());
  };
  return (
    <Stack>
      <Progress at={at} />
      <Card withBorder>
        <Stack>
          <Title order={2} size="h4">
            {at + 1}/{STEPS.length} · {texts.steps[step]}
          </Title>
          <StepFields step={step} form={form} kyc={kyc} />
          {error !== null && <ApiErrorView error={error} />}
          <Group justify="space-between">
            <Button variant="default" disabled={at === 0} onClick={goBack}>
              {texts.previous}
            </Button>
            {step === 'review' ? (
              <Button loading={isPending} onClick={send}>
                {texts.submit}
              </Button>
            ) : (
              <Button onClick={goOn}>{texts.next}</Button>
            )}
          </Group>
        </Stack>
      </Card>
    </Stack>
  );
}

function Progress({ at }: { readonly at: number }): ReactNode {
  const texts = useTexts(KYC_TEXTS);
  return (
    <Stepper active={at} size="xs" labelPosition="bottom" wrap={false} visibleFrom="sm" aria-hidden>
      {STEPS.map((each) => (
        <Stepper.Step key={each} label={texts.steps[each]} allowStepSelect={false} />
      ))}
    </Stepper>
  );
}

interface StepFieldsProps {
  readonly step: Step;
  readonly form: KycForm;
  readonly kyc: Kyc;
}

function StepFields({ step, form, kyc }: StepFieldsProps): ReactNode {
  const texts = useTexts(KYC_TEXTS);
  switch (step) {
    case 'business':
      return <BusinessFields form={form} />;
    case 'bank':
      return <BankFields form={form} />;
    case 'representative':
      return <RepresentativeFields form={form} />;
    case 'documents':
      return <DocumentsStep form={form} documents={kyc.documents} />;
    case 'review':
      return (
        <>
          <Text size="sm">{texts.reviewHelp}</Text>
          <Review values={form.getValues()} documents={kyc.documents} />
        </>
      );
  }
}
