// The rails of one merchant, by payment method, instead of the default ones.
import { Button, Group, Select, Stack, TagsInput, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { adminApi } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { useFormRequest } from '@dashboard/shared/forms/form-request.js';
import { ApiErrorView } from '@dashboard/shared/parts/api-error-view.js';
import { DetailView, Facts, Section } from '@dashboard/shared/parts/detail-view.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { useRailNames } from '../parts/rail-names.js';
import { PAYMENT_METHODS, type PaymentMethod } from '../parts/payment-methods.js';
import { Permitted } from '../parts/permitted.js';
import { useMethodName } from '@dashboard/shared/text/method-names.js';
import { MERCHANT_TEXTS } from './texts.js';

const EMPTY: { payment_method: PaymentMethod; rails: string[] } = {
  payment_method: 'QRIS',
  rails: [],
};
const PATH = '/v1/admin/merchants/{merchant_id}/rails';

export function MerchantRails({ merchantId }: { readonly merchantId: string }): ReactNode {
  const texts = useTexts(MERCHANT_TEXTS);
  const nameMethod = useMethodName();
  const params = { path: { merchant_id: merchantId } };
  const query = useQuery({
    queryKey: ['admin', 'merchant-rails', merchantId],
    queryFn: () => unwrap(adminApi.GET(PATH, { params })),
  });
  return (
    <Section title={texts.rails}>
      <Stack>
        <DetailView query={query}>
          {({ data }) =>
            data.length === 0 ? (
              <Text c="dimmed">{texts.defaultRails}</Text>
            ) : (
              <Facts
                facts={data.map((row) => [nameMethod(row.payment_method), row.rails.join(', ')])}
              />
            )
          }
        </DetailView>
        <Permitted to="administrate" isQuiet>
          <RailsForm merchantId={merchantId} />
        </Permitted>
      </Stack>
    </Section>
  );
}

function RailsForm({ merchantId }: { readonly merchantId: string }): ReactNode {
  const texts = useTexts(MERCHANT_TEXTS);
  const queries = useQueryClient();
  const nameMethod = useMethodName();
  const railNames = useRailNames();
  const form = useForm({ initialValues: EMPTY });
  const { submit, isSending, error } = useFormRequest({
    form,
    send: (body) => {
      const params = { path: { merchant_id: merchantId } };
      return unwrap(adminApi.PUT(PATH, { params, body }));
    },
    onDone: (data) => {
      queries.setQueryData(['admin', 'merchant-rails', merchantId], data);
      form.reset();
    },
  });
  return (
    <form onSubmit={submit}>
      <Group align="flex-start">
        <Select
          label={texts.method}
          data={PAYMENT_METHODS.map((value) => ({ value, label: nameMethod(value) }))}
          allowDeselect={false}
          {...form.getInputProps('payment_method')}
        />
        <TagsInput
          label={texts.order}
          data={railNames}
          description={texts.railsHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('rails')}
        />
        <Button type="submit" variant="default" loading={isSending} mt={25}>
          {texts.save}
        </Button>
      </Group>
      {error !== null && <ApiErrorView error={error} />}
    </form>
  );
}
