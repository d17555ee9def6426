// One payout as operators see it, and what may be done with it by hand.
import { Alert, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { adminApi, type AdministratorSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { DetailView, Facts, Section } from '@dashboard/shared/parts/detail-view.js';
import { Identifier } from '@dashboard/shared/parts/identifier.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MerchantLink } from '../parts/links.js';
import { Permitted } from '../parts/permitted.js';
import { refreshWhile } from '../parts/refresh.js';
import { ADMIN_TEXTS } from '../parts/texts.js';
import { EndByHand, type EndVerb } from './end-by-hand.js';
import { MoneyBadge } from './money-badge.js';
import { MoneyHead } from './money-head.js';
import { MONEY_TEXTS } from './texts.js';

type Payout = AdministratorSchema['AdminPayout'];

const MOVING: readonly string[] = ['PENDING', 'PROCESSING'];

/** The verbs that its status may allow; the API decides. */
function listVerbs({ status, unresolved, contradicted }: Payout): readonly EndVerb[] {
  if (status === 'PENDING') return ['cancel_payout'];
  if (status === 'MANUAL_REQUIRED' || unresolved) return ['complete_payout', 'fail_payout'];
  if (status === 'COMPLETED') return ['reverse_payout'];
  return status === 'FAILED' && contradicted ? ['complete_payout'] : [];
}

export function PayoutView(): ReactNode {
  const { payout } = useTexts(ADMIN_TEXTS);
  const { payoutId } = useParams({ from: '/signed-in/admin/payouts/$payoutId' });
  const params = { path: { payout_id: payoutId } };
  const query = useQuery({
    queryKey: ['admin', 'payout', payoutId],
    queryFn: () => unwrap(adminApi.GET('/v1/admin/payouts/{payout_id}', { params })),
    refetchInterval: refreshWhile(({ status }) => MOVING.includes(status)),
  });
  return (
    <Page title={payout}>
      <DetailView query={query}>{(found) => <PayoutSections payout={found} />}</DetailView>
    </Page>
  );
}

function PayoutSections({ payout }: { readonly payout: Payout }): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const { id, amount, currency, status } = payout;
  const verbs = listVerbs(payout);
  return (
    <Stack>
      <MoneyHead of={payout} badge={<MoneyBadge status={status} />} />
      {verbs.length > 0 && (
        <Section title={texts.decide}>
          <Stack>
            {status === 'MANUAL_REQUIRED' && <Text>{texts.manualPayout}</Text>}
            {payout.unresolved && <Alert color="yellow">{texts.unresolved}</Alert>}
            {payout.contradicted && <Alert color="red">{texts.contradicted}</Alert>}
            <Permitted to="decide_money">
              <EndByHand {...{ id, amount, currency, verbs }} />
            </Permitted>
          </Stack>
        </Section>
      )}
      <PayoutFacts payout={payout} />
    </Stack>
  );
}

function PayoutFacts({ payout }: { readonly payout: Payout }): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const shared = useTexts(ADMIN_TEXTS);
  return (
    <Section title={shared.details}>
      <Facts
        facts={[
          [shared.id, <Identifier key="id" value={payout.id} />],
          [shared.merchant, <MerchantLink key="merchant" id={payout.merchant_id} />],
          [texts.bank, payout.bank_code],
          [texts.account, payout.account_number],
          [texts.holder, payout.account_holder],
          [texts.reference, payout.reference_id],
          [shared.rail, payout.rail],
          [texts.railReference, payout.rail_reference],
          [texts.externalReference, payout.external_reference],
          [texts.reversalReference, payout.reversal_reference],
          [shared.created, <When key="created" at={payout.created_at} />],
          [texts.completed, payout.completed_at && <When at={payout.completed_at} />],
          [texts.failed, payout.failed_at && <When at={payout.failed_at} />],
        ]}
      />
    </Section>
  );
}
