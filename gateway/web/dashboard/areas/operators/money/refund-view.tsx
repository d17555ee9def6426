// One refund as operators see it, and its end by hand.
import { Alert, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { adminApi, type AdministratorSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { DetailView, Facts, Section } from '@dashboard/shared/parts/detail-view.js';
import { Identifier } from '@dashboard/shared/parts/identifier.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MerchantLink, PaymentIdLink } from '../parts/links.js';
import { Permitted } from '../parts/permitted.js';
import { refreshWhile } from '../parts/refresh.js';
import { ADMIN_TEXTS } from '../parts/texts.js';
import { EndByHand } from './end-by-hand.js';
import { MoneyBadge } from './money-badge.js';
import { MoneyHead } from './money-head.js';
import { MONEY_TEXTS } from './texts.js';

type Refund = AdministratorSchema['AdminRefund'];

/** A pending one may be ended six hours after it was given to its rail; the API decides. */
const OPEN: readonly string[] = ['MANUAL_REQUIRED', 'PENDING'];

export function RefundView(): ReactNode {
  const { refund } = useTexts(ADMIN_TEXTS);
  const { refundId } = useParams({ from: '/signed-in/admin/refunds/$refundId' });
  const params = { path: { refund_id: refundId } };
  const query = useQuery({
    queryKey: ['admin', 'refund', refundId],
    queryFn: () => unwrap(adminApi.GET('/v1/admin/refunds/{refund_id}', { params })),
    refetchInterval: refreshWhile(({ status }) => status === 'PENDING'),
  });
  return (
    <Page title={refund}>
      <DetailView query={query}>{(found) => <RefundSections refund={found} />}</DetailView>
    </Page>
  );
}

function RefundSections({ refund }: { readonly refund: Refund }): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const shared = useTexts(ADMIN_TEXTS);
  const { id, amount, currency, status, contradicted } = refund;
  const isOpen = OPEN.includes(status) || contradicted;
  return (
    <Stack>
      <MoneyHead of={refund} badge={<MoneyBadge status={status} />} />
      {isOpen && (
        <Section title={texts.decide}>
          <Stack>
            {status === 'MANUAL_REQUIRED' && <Text>{texts.manualRefund}</Text>}
            {contradicted && <Alert color="red">{texts.contradicted}</Alert>}
            <Permitted to="decide_money">
              <EndByHand {...{ id, amount, currency }} verbs={['complete_refund', 'fail_refund']} />
            </Permitted>
          </Stack>
        </Section>
      )}
      <Section title={shared.details}>
        <Facts
          facts={[
            [shared.id, <Identifier key="id" value={id} />],
            [shared.merchant, <MerchantLink key="merchant" id={refund.merchant_id} />],
            [shared.payment, <PaymentIdLink key="payment" id={refund.payment_id} />],
            [texts.paymentStatus, <StatusBadge key="status" status={refund.payment_status} />],
            [texts.method, refund.payment_method],
            [shared.rail, refund.rail],
            [texts.origin, texts.origins[refund.origin]],
            [shared.reason, refund.reason],
            [texts.reference, refund.reference_id],
            [texts.externalReference, refund.external_reference],
            [shared.created, <When key="created" at={refund.created_at} />],
            [texts.completed, refund.completed_at && <When at={refund.completed_at} />],
          ]}
        />
      </Section>
    </Stack>
  );
}
