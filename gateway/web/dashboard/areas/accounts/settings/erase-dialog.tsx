// Asks which customer to erase, and for the value once more, because an erasure cannot be undone.
import { Alert, Button, Checkbox, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { queryClient } from '@dashboard/shared/api/queries.js';
import { useFormRequest } from '@dashboard/shared/forms/form-request.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { SecondFactorHint } from '@dashboard/shared/second-factor/second-factor-hint.js';
import { buildProof, useStepUp } from '@dashboard/shared/second-factor/step-up.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { SETTINGS_TEXTS } from './texts.js';

const BY = [
  ...(['customer_email', 'customer_phone', 'reference_id', 'payment_id'] as const),
  ...(['invoice_id', 'payout_id'] as const),
] as const;

interface Subject {
  readonly by: (typeof BY)[number];
  readonly value: string;
  readonly again: string;
  readonly with_reference: boolean;
}

const EMPTY: Subject = { by: 'customer_email', value: '', again: '', with_reference: false };

function useEraseForm(onClose: () => void) {
  const texts = useTexts(SETTINGS_TEXTS);
  const environment = useEnvironment();
  const stepUp = useStepUp();
  const form = useForm<Subject>({
    initialValues: EMPTY,
    validate: {
      value: (text) => (text.trim() === '' ? texts.required : null),
      again: (text, { value }) => (text.trim() === value.trim() ? null : texts.againRule),
    },
  });
  const request = useFormRequest({
    form,
    send: ({ by, value, with_reference }: Subject) =>
      stepUp((code) => {
        const subject = { [by]: value.trim() };
        const body = { environment, with_reference, ...subject, ...buildProof(code) };
        return unwrap(api.POST('/v1/merchants/me/erasures', { body }));
      }),
    onDone: () => {
      notifications.show({ message: texts.erasureBegan });
      void queryClient.invalidateQueries({ queryKey: ['erasures'] });
      onClose();
    },
  });
  return { form, environment, ...request };
}

export function EraseDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const texts = useTexts(SETTINGS_TEXTS);
  const shared = useTexts(SHARED_TEXTS);
  const { form, environment, submit, isSending, error } = useEraseForm(onClose);
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.erase}
      closeButtonProps={{ 'aria-label': shared.close }}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <Alert color="red">{texts.eraseWarning(environment)}</Alert>
          {environment === 'LIVE' && <SecondFactorHint />}
          <Select
            label={texts.by}
            data={BY.map((value) => ({ value, label: texts.byFields[value] }))}
            allowDeselect={false}
            {...form.getInputProps('by')}
          />
          <TextInput
            label={texts.value}
            autoComplete="off"
            required
            {...form.getInputProps('value')}
          />
          <TextInput
            label={texts.again}
            autoComplete="off"
            required
            {...form.getInputProps('again')}
          />
          <Checkbox
            label={texts.withReference}
            {...form.getInputProps('with_reference', { type: 'checkbox' })}
          />
          {error !== null && <ApiErrorView error={error} />}
          <Button type="submit" color="red" loading={isSending}>
            {texts.eraseAction}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
