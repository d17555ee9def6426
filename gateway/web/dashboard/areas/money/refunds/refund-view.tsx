// One refund.
import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { Facts, ObjectView, Section } from '@dashboard/shared/parts/detail-view.js';
import { Identifier } from '@dashboard/shared/parts/identifier.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { TextLink } from '@dashboard/shared/lists/row-link.js';
import { When } from '@dashboard/shared/parts/when.js';
import { findInEnvironments, useEnvironment } from '@dashboard/shared/session/environment.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MONEY_TEXTS } from '../parts/texts.js';
import { type Refund, RefundStatus } from './refund-columns.js';

const REFRESH_MS = 10_000;

export function RefundView(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const asked = useEnvironment();
  const { refundId } = useParams({ from: '/signed-in/refunds/$refundId' });
  const query = useQuery({
    queryKey: ['refund', asked, refundId],
    queryFn: () =>
      findInEnvironments(asked, (environment) =>
        unwrap(
          api.GET('/v1/merchants/me/refunds/{refund_id}', {
            params: { path: { refund_id: refundId }, query: { environment } },
          }),
        ),
      ),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page title={texts.refund}>
      <ObjectView query={query}>{(refund) => <RefundFacts refund={refund} />}</ObjectView>
    </Page>
  );
}

function RefundFacts({ refund }: { readonly refund: Refund }): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  return (
    <Stack>
      <Group>
        <Text fz={{ base: 26, sm: 32 }} fw={650} lh={1.2}>
          <Money minor={refund.amount} currency={refund.currency} />
        </Text>
        <RefundStatus status={refund.status} texts={texts} />
      </Group>
      <Section title={texts.facts}>
        <Facts
          facts={[
            [texts.id, <Identifier key="id" value={refund.id} />],
            [
              texts.payment,
              <TextLink
                key="payment"
                to="/payments/$paymentId"
                params={{ paymentId: refund.payment_id }}
                size="sm"
              >
                {refund.payment_id}
              </TextLink>,
            ],
            [texts.reason, refund.reason],
            [texts.reference, refund.reference_id],
            [texts.origin, texts.origins[refund.origin]],
            [texts.created, <When key="created" at={refund.created_at} />],
            [texts.completed, refund.completed_at && <When at={refund.completed_at} />],
          ]}
        />
      </Section>
    </Stack>
  );
}
