// One payment: its facts, its timeline, its refunds, and the webhooks and requests about it. It refreshes by itself, more
// often while the customer has not paid.
import { Alert, Grid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ObjectView } from '@dashboard/shared/parts/detail-view.js';
import { Page } from '@dashboard/shared/parts/page.js';
import {
  type Environment,
  findInEnvironments,
  useEnvironment,
} from '@dashboard/shared/session/environment.js';
import { useCan } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MONEY_TEXTS } from '../parts/texts.js';
import { DeliveriesSection } from './deliveries-section.js';
import { LogsSection } from './logs-section.js';
import { PaymentActions } from './payment-actions.js';
import type { Payment } from './payment-columns.js';
import { MetadataSection, PaymentFacts, PaymentHead } from './payment-facts.js';
import { RefundsSection } from './refunds-section.js';
import { PaymentTimeline } from './timeline.js';

const WAITING_MS = 10_000;
const SETTLED_MS = 15_000;

function usePayment(paymentId: string, asked: Environment) {
  return useQuery({
    queryKey: ['payment', asked, paymentId],
    queryFn: () =>
      findInEnvironments(asked, (environment) =>
        unwrap(
          api.GET('/v1/merchants/me/payments/{payment_id}', {
            params: { path: { payment_id: paymentId }, query: { environment } },
          }),
        ),
      ),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? WAITING_MS : SETTLED_MS),
  });
}

export function PaymentView(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const asked = useEnvironment();
  const { paymentId } = useParams({ from: '/signed-in/payments/$paymentId' });
  const query = usePayment(paymentId, asked);
  const actions = query.data === undefined ? null : <PaymentActions payment={query.data} />;
  return (
    <Page title={texts.payment} actions={actions}>
      <ObjectView query={query}>{(payment) => <PaymentSections payment={payment} />}</ObjectView>
    </Page>
  );
}

function PaymentSections({ payment }: { readonly payment: Payment }): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const can = useCan();
  return (
    <Stack>
      <PaymentHead payment={payment} />
      {payment.late && <Alert color="yellow">{texts.late}</Alert>}
      <Grid>
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack>
            <PaymentFacts payment={payment} />
            <RefundsSection payment={payment} />
            {can('read_webhooks') && <DeliveriesSection payment={payment} />}
            {can('read_api_logs') && <LogsSection payment={payment} />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack>
            <PaymentTimeline payment={payment} />
            <MetadataSection payment={payment} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  );
}
