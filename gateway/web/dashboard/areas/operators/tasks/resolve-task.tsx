// Resolves a task by one of the actions that it allows now. The effect of each is said before it is chosen, and again before
// it is done.
import { Alert, Button, Group, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { adminApi, type AdministratorSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ConfirmDialog } from '@dashboard/shared/parts/confirm-dialog.js';
import { Section } from '@dashboard/shared/parts/detail-view.js';
import { findFieldErrors } from '@dashboard/shared/forms/form-errors.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { PayoutLink, RefundLink } from '../parts/links.js';
import { MerchantName, MerchantSelect } from '../parts/merchant-names.js';
import { Permitted } from '../parts/permitted.js';
import type { Task } from './task.js';
import { TASK_TEXTS, useTaskWords } from './texts.js';

type Request = AdministratorSchema['ResolveTaskRequest'];

const EMPTY = { action: '', note: '', external_reference: '', merchant_id: '', payment_id: '' };
type Values = typeof EMPTY;
type Form = UseFormReturnType<Values>;

const REFERRING: readonly string[] = ['return', 'match', 'debit', 'write_off'];

export function ResolveTask({ task }: { readonly task: Task }): ReactNode {
  const texts = useTexts(TASK_TEXTS);
  const [isAsking, setIsAsking] = useState(false);
  const form = useForm({
    initialValues: { ...EMPTY, action: task.actions.length === 1 ? (task.actions[0] ?? '') : '' },
  });
  if (task.actions.length === 0) return <Waiting task={task} />;
  return (
    <Section title={texts.resolve}>
      <Permitted to="decide_money">
        <form
          onSubmit={form.onSubmit(() => {
            setIsAsking(true);
          })}
        >
          <Stack>
            <ActionChoice task={task} form={form} />
            <ActionFields form={form} />
            <Group>
              <Button type="submit" disabled={form.values.action === ''}>
                {texts.resolve}
              </Button>
            </Group>
          </Stack>
        </form>
      </Permitted>
      {isAsking && (
        <ResolveDialog
          task={task}
          form={form}
          onClose={() => {
            setIsAsking(false);
          }}
        />
      )}
    </Section>
  );
}

interface FormProps {
  readonly task: Task;
  readonly form: Form;
}

function ActionChoice({ task, form }: FormProps): ReactNode {
  const texts = useTexts(TASK_TEXTS);
  const words = useTaskWords();
  return (
    <Radio.Group label={texts.choose} required {...form.getInputProps('action')}>
      <Stack gap="sm" mt="xs">
        {task.actions.map((each) => (
          <Radio
            key={each}
            value={each}
            label={words.action(each)}
            description={words.effect(each)}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}

interface ResolveDialogProps extends FormProps {
  readonly onClose: () => void;
}

function ResolveDialog({ task, form, onClose }: ResolveDialogProps): ReactNode {
  const texts = useTexts(TASK_TEXTS);
  const words = useTaskWords();
  const resolve = useResolve(task, form, onClose);
  const { action, merchant_id: merchantId } = form.values;
  const { amount, currency } = task.details;
  const mayNeedSecond =
    task.environment === 'LIVE' && action !== 'book' && action !== 'acknowledge';
  return (
    <ConfirmDialog
      title={texts.resolveTitle}
      action={words.action(action)}
      isDangerous={action !== 'acknowledge'}
      isOpen
      onClose={onClose}
      onConfirm={resolve}
    >
      {amount !== undefined && currency !== undefined && (
        <Text fw={600}>
          <Money minor={amount} currency={currency} />
        </Text>
      )}
      {action === 'assign' && merchantId !== '' && (
        <Text size="sm">
          {texts.receiver}: <MerchantName id={merchantId} /> ({merchantId})
        </Text>
      )}
      <Text size="sm">{words.effect(action)}</Text>
      {action === 'book' && <Alert color="yellow">{texts.twoPersons}</Alert>}
      {mayNeedSecond && <Alert color="yellow">{texts.limitHelp}</Alert>}
    </ConfirmDialog>
  );
}

/** The note, and what the chosen action needs beside it. */
function ActionFields({ form }: { readonly form: Form }): ReactNode {
  const texts = useTexts(TASK_TEXTS);
  const { action, merchant_id: merchantId } = form.values;
  return (
    <>
      {REFERRING.includes(action) && (
        <TextInput
          label={texts.reference}
          description={texts.referenceHelp}
          required={action === 'return'}
          {...form.getInputProps('external_reference')}
        />
      )}
      {action === 'assign' && (
        <>
          <MerchantSelect
            label={texts.receiver}
            description={merchantId === '' ? texts.receiverHelp : merchantId}
            value={merchantId}
            error={form.errors['merchant_id']}
            onChange={(id) => {
              form.setFieldValue('merchant_id', id);
            }}
          />
          <TextInput
            label={texts.receiverPayment}
            placeholder="pay_…"
            {...form.getInputProps('payment_id')}
          />
        </>
      )}
      <Textarea
        label={texts.note}
        description={texts.noteHelp}
        required
        autosize
        minRows={2}
        maxLength={500}
        {...form.getInputProps('note')}
      />
    </>
  );
}

/** Sends the resolution. An approval in its place is shown, because the task waits for it. */
function useResolve(task: Task, form: Form, onClose: () => void): () => Promise<void> {
  const texts = useTexts(TASK_TEXTS);
  const { language } = useLanguage();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    const { action, note, ...fields } = form.values;
    const filled = Object.entries(fields).filter(([, text]) => text.trim() !== '');
    const body = { action, note: note.trim(), ...Object.fromEntries(filled) } as Request;
    const params = { path: { task_id: task.id } };
    const answer = await unwrap(
      adminApi.POST('/v1/admin/tasks/{task_id}/resolve', { params, body }),
    ).catch((error: unknown) => {
      const errors = findFieldErrors(language, error, Object.keys(EMPTY));
      form.setErrors(errors);
      // The field shows it, and the dialog would hide the field.
      if (Object.keys(errors).length > 0) onClose();
      throw error;
    });
    await queries.invalidateQueries({ queryKey: ['admin'] });
    if (answer.object === 'task') {
      notifications.show({ message: texts.done, color: 'green' });
      return;
    }
    notifications.show({ message: texts.proposed, color: 'yellow' });
    await navigate({ to: '/admin/approvals/$approvalId', params: { approvalId: answer.id } });
  };
}

/** Its refund or payout has to end first. */
function Waiting({ task }: { readonly task: Task }): ReactNode {
  const texts = useTexts(TASK_TEXTS);
  const { refundId, payoutId } = task.details;
  return (
    <Section title={texts.waits}>
      <Stack gap="xs">
        <Text>{texts.waitsHelp}</Text>
        {refundId !== undefined && <RefundLink id={refundId} />}
        {payoutId !== undefined && <PayoutLink id={payoutId} />}
      </Stack>
    </Section>
  );
}
