// Proposes a correction of a LIVE payment or of a balance. The kind says which fields it takes.
import {
  Autocomplete,
  Button,
  Card,
  Group,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { adminApi, type AdministratorSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { AmountInput } from '@dashboard/shared/forms/number-inputs.js';
import { useNumberRule } from '@dashboard/shared/forms/number-rule.js';
import { useFormRequest } from '@dashboard/shared/forms/form-request.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MerchantSelect } from '../parts/merchant-names.js';
import { useRailNames } from '../parts/rail-names.js';
import { ADMIN_TEXTS } from '../parts/texts.js';
import { APPROVAL_TEXTS } from './texts.js';

type Request = AdministratorSchema['ProposeCorrectionRequest'];
type Kind = Request['kind'];

type Field = Exclude<keyof Request, 'kind' | 'reason' | 'currency'>;

const OF_BALANCES: readonly Field[] = ['merchant_id', 'amount', 'reference'];
const OF_REFUNDS: readonly Field[] = ['payment_id', 'rail', 'rail_transaction_id', 'amount'];
/** As in gateway/operators/corrections/fields-of-kind.ts, which decides. */
const FIELDS_OF_KIND: Readonly<Record<Kind, readonly Field[]>> = {
  adjustment_credit: OF_BALANCES,
  adjustment_debit: OF_BALANCES,
  reserve_hold: OF_BALANCES,
  reserve_release: OF_BALANCES,
  settlement: [...OF_REFUNDS, 'order_id'],
  reversal: ['payment_id', 'rail', 'rail_transaction_id'],
  refund: OF_REFUNDS,
  chargeback: OF_REFUNDS,
};
const KINDS = Object.keys(FIELDS_OF_KIND) as Kind[];
const LONGEST_REASON = 500;
const EMPTY = {
  ...{ kind: 'adjustment_credit' as Kind, reason: '', merchant_id: '', payment_id: '', rail: '' },
  ...{ rail_transaction_id: '', order_id: '', amount: '', reference: '' },
};
type Values = typeof EMPTY;
type Form = UseFormReturnType<Values>;

/** The fields that the kind takes, the empty ones left out. */
function buildRequest({ kind, reason, ...values }: Values): Request {
  const taken = FIELDS_OF_KIND[kind].map((name) => [name, values[name].trim()] as const);
  const filled = Object.fromEntries(taken.filter(([, text]) => text !== ''));
  return { kind, reason: reason.trim(), ...filled };
}

export function ProposeCorrection(): ReactNode {
  const texts = useTexts(APPROVAL_TEXTS);
  const navigate = useNavigate();
  const number = useNumberRule();
  const form = useForm({
    initialValues: EMPTY,
    validate: {
      amount: (text, { kind }) => (FIELDS_OF_KIND[kind].includes('amount') ? number(text) : null),
    },
  });
  const { submit, isSending, error } = useFormRequest({
    form,
    send: (values) =>
      unwrap(adminApi.POST('/v1/admin/corrections', { body: buildRequest(values) })),
    onDone: ({ id }) =>
      navigate({ to: '/admin/approvals/$approvalId', params: { approvalId: id } }),
  });
  return (
    <Page title={texts.propose} permission="decide_money">
      <Card withBorder maw={640}>
        <form onSubmit={submit}>
          <Stack>
            <Text c="dimmed">{texts.proposeHelp}</Text>
            <CorrectionFields form={form} />
            {error !== null && <ApiErrorView error={error} />}
            <Group>
              <Button type="submit" loading={isSending}>
                {texts.send}
              </Button>
            </Group>
          </Stack>
        </form>
      </Card>
    </Page>
  );
}

function CorrectionFields({ form }: { readonly form: Form }): ReactNode {
  const texts = useTexts(APPROVAL_TEXTS);
  const { kind } = form.values;
  return (
    <>
      <Select
        label={texts.correctionKind}
        description={texts.effects[kind]}
        data={KINDS.map((value) => ({ value, label: texts.kinds[value] }))}
        allowDeselect={false}
        {...form.getInputProps('kind')}
      />
      {FIELDS_OF_KIND[kind].map((name) => (
        <CorrectionField key={name} name={name} form={form} />
      ))}
      <Textarea
        label={texts.why}
        required
        autosize
        minRows={2}
        maxLength={LONGEST_REASON}
        {...form.getInputProps('reason')}
      />
    </>
  );
}

/** Of a field that holds a text. */
interface InputProps {
  readonly value: string;
  readonly onChange: (value: unknown) => void;
  readonly error?: ReactNode;
}

const PLACEHOLDERS: Readonly<Partial<Record<Field, string>>> = { payment_id: 'pay_…' };

interface CorrectionFieldProps {
  readonly name: Field;
  readonly form: Form;
}

function CorrectionField({ name, form }: CorrectionFieldProps): ReactNode {
  const texts = useTexts(APPROVAL_TEXTS);
  const shared = useTexts(ADMIN_TEXTS);
  const railNames = useRailNames();
  const labels: Readonly<Record<Field, readonly [string, string?]>> = {
    merchant_id: [shared.merchant],
    payment_id: [texts.paymentId],
    rail: [shared.rail],
    rail_transaction_id: [texts.railTransaction, texts.railTransactionHelp],
    order_id: [texts.orderId, texts.orderHelp],
    amount: [shared.amount],
    reference: [texts.reference, texts.referenceHelp],
  };
  const [label, description] = labels[name];
  const input = form.getInputProps(name) as InputProps;
  if (name === 'amount') return <AmountInput label={label} required {...input} />;
  if (name === 'merchant_id') {
    // Two merchants may have one name: the id is below it.
    return <MerchantSelect label={label} description={input.value} required {...input} />;
  }
  if (name === 'rail') return <Autocomplete label={label} data={railNames} required {...input} />;
  return (
    <TextInput
      label={label}
      description={description}
      placeholder={PLACEHOLDERS[name] ?? ''}
      required={name !== 'order_id'}
      autoComplete="off"
      {...input}
    />
  );
}
