// Makes or changes a payment link. The price of a link cannot change.
import { Button, Group, Modal, SegmentedControl, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { DayInput } from '@dashboard/shared/forms/day-input.js';
import { useDayRule } from '@dashboard/shared/forms/day-rule.js';
import { FIRST_FIELD } from '@dashboard/shared/forms/first-field.js';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { useFormRequest } from '@dashboard/shared/forms/form-request.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { AmountInput, WholeNumberInput } from '@dashboard/shared/forms/number-inputs.js';
import { useNumberRule } from '@dashboard/shared/forms/number-rule.js';
import { SELLING_TEXTS } from '../parts/texts.js';
import { type LinkForm, readLinkForm, writeChange, writePrice } from './link-form.js';

interface LinkEditorProps {
  /** null: a new one. */
  readonly link: MerchantSchema['PaymentLink'] | null;
  readonly onClose: () => void;
}

export function LinkEditor({ link, onClose }: LinkEditorProps): ReactNode {
  const { links } = useTexts(SELLING_TEXTS);
  const { close } = useTexts(SHARED_TEXTS);
  const environment = useEnvironment();
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useLinkForm(link);
  const send = (values: LinkForm) => {
    const change = writeChange(values, link?.expires_at ?? null);
    if (link === null) {
      const body = { ...change, ...writePrice(values), environment };
      return unwrap(api.POST('/v1/merchants/me/payment-links', { body }));
    }
    const params = { path: { payment_link_id: link.id } };
    const path = '/v1/merchants/me/payment-links/{payment_link_id}';
    return unwrap(api.PATCH(path, { params, body: change }));
  };
  const { submit, isSending, error } = useFormRequest({
    form,
    send,
    onDone: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ['payment-links'] });
      await client.invalidateQueries({ queryKey: ['payment-link', id] });
      onClose();
      await navigate({ to: '/payment-links/$linkId', params: { linkId: id } });
    },
  });
  const title = link === null ? links.makeIn(environment) : links.edit;
  const closeButtonProps = { 'aria-label': close };
  return (
    <Modal opened onClose={onClose} title={title} size="lg" closeButtonProps={closeButtonProps}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={links.linkTitle}
            required
            {...FIRST_FIELD}
            {...form.getInputProps('title')}
          />
          {link === null && <PriceFields form={form} />}
          <OtherFields form={form} />
          {error !== null && <ApiErrorView error={error} />}
          <Button type="submit" loading={isSending}>
            {link === null ? links.make : links.save}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}

function useLinkForm(link: LinkEditorProps['link']): UseFormReturnType<LinkForm> {
  const number = useNumberRule();
  return useForm<LinkForm>({
    initialValues: readLinkForm(link),
    validate: {
      amount: (text, { pricing }) => (pricing === 'fixed' ? number(text) : null),
      min_amount: (text, { pricing }) => (pricing === 'chosen' ? number(text) : null),
      max_amount: (text, { pricing }) => (pricing === 'chosen' ? number(text) : null),
      max_uses: number,
      expires_at: useDayRule(),
    },
  });
}

interface FieldsProps {
  readonly form: UseFormReturnType<LinkForm>;
}

function PriceFields({ form }: FieldsProps): ReactNode {
  const { links } = useTexts(SELLING_TEXTS);
  return (
    <>
      <SegmentedControl
        aria-label={links.price}
        data={[
          { value: 'fixed', label: links.fixedPrice },
          { value: 'chosen', label: links.customerChooses },
        ]}
        {...form.getInputProps('pricing')}
      />
      {form.values.pricing === 'fixed' ? (
        <AmountInput label={links.price} required {...form.getInputProps('amount')} />
      ) : (
        <Group grow align="flex-start">
          <AmountInput
            label={links.least}
            description={links.optional}
            {...form.getInputProps('min_amount')}
          />
          <AmountInput
            label={links.most}
            description={links.optional}
            {...form.getInputProps('max_amount')}
          />
        </Group>
      )}
    </>
  );
}

function OtherFields({ form }: FieldsProps): ReactNode {
  const { links } = useTexts(SELLING_TEXTS);
  return (
    <>
      <Textarea
        label={links.description}
        description={links.descriptionHelp}
        autosize
        minRows={2}
        {...form.getInputProps('description')}
      />
      <Group grow align="flex-start">
        <WholeNumberInput
          label={links.maxUses}
          description={links.optional}
          {...form.getInputProps('max_uses')}
        />
        <DayInput
          label={links.lastDay}
          description={links.lastDayHelp}
          {...form.getInputProps('expires_at')}
        />
      </Group>
      <TextInput
        label={links.successUrl}
        description={links.successUrlHelp}
        placeholder="https://toko.example/terima-kasih"
        type="url"
        {...form.getInputProps('success_url')}
      />
    </>
  );
}
