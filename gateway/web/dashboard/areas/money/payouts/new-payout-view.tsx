// Sends available balance to a bank account, after one look at everything together.
import { Button, Card, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { payoutBanksQuery } from '@dashboard/shared/api/payout-banks.js';
import { formatMoney } from '@core/money.js';
import { removeSeparators } from '@core/typed-identifiers.js';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { makeIdempotencyKey } from '@dashboard/shared/api/idempotency-key.js';
import { ConfirmDialog } from '@dashboard/shared/parts/confirm-dialog.js';
import { DetailView, Facts } from '@dashboard/shared/parts/detail-view.js';
import { findFieldErrors } from '@dashboard/shared/forms/form-errors.js';
import { AmountInput } from '@dashboard/shared/forms/number-inputs.js';
import { useNumberRule } from '@dashboard/shared/forms/number-rule.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { useStepUp } from '@dashboard/shared/second-factor/step-up.js';
import { useEnvironment } from '@dashboard/shared/session/environment.js';
import { useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import { AvailableNow } from '../balance/balance-cards.js';
import { MONEY_TEXTS } from '../parts/texts.js';
import type { Payout } from './payout-columns.js';

const CURRENCY = 'IDR';
const EMPTY = {
  amount: '',
  bank_code: null as string | null,
  account_number: '',
  account_holder: '',
  reference_id: '',
};
type Values = typeof EMPTY;
type PayoutRequest = MerchantSchema['CreateMerchantPayoutRequest'];

/** Sends it once, however often the person presses: the key belongs to the review. */
function useCreatePayout(): (values: Values, idempotencyKey: string) => Promise<Payout> {
  const environment = useEnvironment();
  const stepUp = useStepUp();
  return ({ reference_id: reference, bank_code: bank, ...values }, idempotencyKey) => {
    const body = {
      ...values,
      account_number: removeSeparators(values.account_number),
      bank_code: (bank ?? '') as PayoutRequest['bank_code'],
      ...(reference.trim() === '' ? {} : { reference_id: reference.trim() }),
    };
    const params = { query: { environment }, header: { 'Idempotency-Key': idempotencyKey } };
    return stepUp((code) =>
      unwrap(
        api.POST('/v1/merchants/me/payouts', {
          params,
          body: code === undefined ? body : { ...body, totp_code: code },
        }),
      ),
    );
  };
}

export function NewPayoutView(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const { language } = useLanguage();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const create = useCreatePayout();
  const [reviewKey, setReviewKey] = useState<string | null>(null);
  const form = useForm({ initialValues: EMPTY, validate: { amount: useNumberRule() } });
  const { values } = form;
  const send = async (): Promise<void> => {
    try {
      const { id } = await create(values, reviewKey ?? '');
      notifications.show({ message: texts.payoutDone });
      await queryClient.invalidateQueries();
      await navigate({ to: '/payouts/$payoutId', params: { payoutId: id } });
    } catch (error) {
      form.setErrors(findFieldErrors(language, error, Object.keys(EMPTY)));
      throw error;
    }
  };
  const amount = formatMoney(values.amount === '' ? '0' : values.amount, CURRENCY);
  return (
    <Page title={texts.newPayout} permission="change_payouts">
      <Card withBorder maw={560}>
        <form
          onSubmit={form.onSubmit(() => {
            setReviewKey(makeIdempotencyKey());
          })}
        >
          <PayoutFields form={form} />
        </form>
      </Card>
      <ConfirmDialog
        title={texts.payoutTitle}
        action={texts.payoutSend(amount)}
        isOpen={reviewKey !== null}
        onClose={() => {
          setReviewKey(null);
        }}
        onConfirm={send}
      >
        <Facts
          facts={[
            [texts.amount, amount],
            [texts.bank, values.bank_code],
            [texts.account, removeSeparators(values.account_number)],
            [texts.holder, values.account_holder],
          ]}
        />
        <Text size="sm">{texts.payoutHelp}</Text>
      </ConfirmDialog>
    </Page>
  );
}

function PayoutFields({ form }: { readonly form: UseFormReturnType<Values> }): ReactNode {
  const query = useQuery(payoutBanksQuery);
  return (
    <Stack>
      <AvailableNow />
      <DetailView query={query}>
        {({ data }) => <AmountAndAccount form={form} banks={data} />}
      </DetailView>
    </Stack>
  );
}

interface AmountAndAccountProps {
  readonly form: UseFormReturnType<Values>;
  readonly banks: readonly MerchantSchema['PayoutBank'][];
}

function AmountAndAccount({ form, banks }: AmountAndAccountProps): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  return (
    <Stack>
      <AmountInput
        label={texts.amount}
        currency={CURRENCY}
        required
        {...form.getInputProps('amount')}
        value={form.values.amount}
      />
      <Select
        label={texts.bank}
        data={banks.map(({ code, name }) => ({ value: code, label: name }))}
        searchable
        required
        {...form.getInputProps('bank_code')}
      />
      <TextInput
        label={texts.account}
        inputMode="numeric"
        autoComplete="off"
        required
        {...form.getInputProps('account_number')}
      />
      <TextInput
        label={texts.holder}
        autoComplete="off"
        required
        {...form.getInputProps('account_holder')}
      />
      <TextInput label={texts.reference} {...form.getInputProps('reference_id')} />
      <Button type="submit">{texts.payoutReview}</Button>
    </Stack>
  );
}
