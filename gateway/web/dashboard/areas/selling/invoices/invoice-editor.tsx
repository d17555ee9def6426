// The editor of a draft. The service computes the total when the draft is saved.
import {
  Button,
  Card,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useRef } from 'react';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { Section } from '@dashboard/shared/parts/detail-view.js';
import { DayInput } from '@dashboard/shared/forms/day-input.js';
import { useDayRule } from '@dashboard/shared/forms/day-rule.js';
import { useNumberRule } from '@dashboard/shared/forms/number-rule.js';
import { useFormRequest } from '@dashboard/shared/forms/form-request.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { sendsMail } from '@dashboard/shared/parts/mailed.js';
import { LANGUAGES, useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { SELLING_TEXTS } from '../parts/texts.js';
import type { InvoiceForm } from './invoice-form.js';
import { ItemFields } from './item-fields.js';
import type { Invoice } from './invoice-parts.js';

interface InvoiceEditorProps {
  readonly initialValues: InvoiceForm;
  /** The saved draft; null: it is new. */
  readonly draft: Invoice | null;
  readonly save: (values: InvoiceForm) => Promise<Invoice>;
}

export function InvoiceEditor({ initialValues, draft, save }: InvoiceEditorProps): ReactNode {
  const { invoices } = useTexts(SELLING_TEXTS);
  const client = useQueryClient();
  const navigate = useNavigate();
  const number = useNumberRule();
  const day = useDayRule();
  const form = useForm<InvoiceForm>({
    initialValues,
    validate: { due_at: day, items: { quantity: number, unit_amount: number } },
  });
  const isPreviewing = useRef(false);
  const { submit, isSending, error } = useFormRequest({
    form,
    send: save,
    onDone: async (saved) => {
      client.setQueryData(['invoice', saved.id], saved);
      await client.invalidateQueries({ queryKey: ['invoices'] });
      const search = isPreviewing.current ? { preview: 'page' } : {};
      await navigate({ to: '/invoices/$invoiceId', params: { invoiceId: saved.id }, search });
    },
  });
  const leave = (): void => {
    void (draft === null
      ? navigate({ to: '/invoices' })
      : navigate({ to: '/invoices/$invoiceId', params: { invoiceId: draft.id } }));
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <CustomerFields form={form} />
        <Section title={invoices.items}>
          <ItemFields form={form} />
        </Section>
        <Card withBorder>
          <Textarea
            label={invoices.notes}
            description={invoices.notesHelp}
            autosize
            minRows={2}
            {...form.getInputProps('notes')}
          />
        </Card>
        {error !== null && <ApiErrorView error={error} />}
        <EditorEnd
          draft={draft}
          isSending={isSending}
          onCancel={leave}
          onSave={(isPreviewed) => {
            isPreviewing.current = isPreviewed;
          }}
        />
      </Stack>
    </form>
  );
}

interface EditorEndProps {
  readonly draft: Invoice | null;
  readonly isSending: boolean;
  readonly onCancel: () => void;
  /** Whether the preview is shown afterwards. */
  readonly onSave: (isPreviewed: boolean) => void;
}

function EditorEnd({ draft, isSending, onCancel, onSave }: EditorEndProps): ReactNode {
  const { invoices } = useTexts(SELLING_TEXTS);
  const { cancel } = useTexts(SHARED_TEXTS);
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed">
        {draft !== null && (
          <>
            {invoices.savedTotal}: <Money minor={draft.total} currency={draft.currency} />.{' '}
          </>
        )}
        {invoices.totalHelp}
      </Text>
      <Group>
        <Button variant="default" onClick={onCancel}>
          {cancel}
        </Button>
        <Button
          variant="default"
          disabled={isSending}
          onClick={({ currentTarget }) => {
            onSave(true);
            // The browser checks the fields first, as it does when the form is saved.
            currentTarget.form?.requestSubmit();
          }}
        >
          {invoices.savePreview}
        </Button>
        <Button
          type="submit"
          loading={isSending}
          onClick={() => {
            onSave(false);
          }}
        >
          {invoices.save}
        </Button>
      </Group>
    </Group>
  );
}

function CustomerFields({ form }: { readonly form: UseFormReturnType<InvoiceForm> }): ReactNode {
  const { invoices, links } = useTexts(SELLING_TEXTS);
  return (
    <Section title={invoices.customer}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput label={invoices.customerName} {...form.getInputProps('customer_name')} />
        <TextInput
          label={invoices.customerEmail}
          description={sendsMail ? invoices.customerEmailHelp : links.optional}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          type="email"
          {...form.getInputProps('customer_email')}
        />
        <DayInput
          label={invoices.due}
          description={invoices.dueHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('due_at')}
        />
        <Select
          label={invoices.language}
          data={LANGUAGES.map((value) => ({ value, label: invoices.languages[value] }))}
          allowDeselect={false}
          {...form.getInputProps('language')}
        />
      </SimpleGrid>
    </Section>
  );
}
