// One payout. It refreshes by itself until it has ended.
import { Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ConfirmDialog } from '@dashboard/shared/parts/confirm-dialog.js';
import { Facts, ObjectView, Section } from '@dashboard/shared/parts/detail-view.js';
import { Identifier } from '@dashboard/shared/parts/identifier.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { When } from '@dashboard/shared/parts/when.js';
import { findInEnvironments, useEnvironment } from '@dashboard/shared/session/environment.js';
import { useCan } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MONEY_TEXTS } from '../parts/texts.js';
import { type Payout, PayoutStatus } from './payout-columns.js';

const REFRESH_MS = 10_000;

export function PayoutView(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const asked = useEnvironment();
  const { payoutId } = useParams({ from: '/signed-in/payouts/$payoutId' });
  const query = useQuery({
    queryKey: ['payout', asked, payoutId],
    queryFn: () =>
      findInEnvironments(asked, (environment) =>
        unwrap(
          api.GET('/v1/merchants/me/payouts/{payout_id}', {
            params: { path: { payout_id: payoutId }, query: { environment } },
          }),
        ),
      ),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page
      title={texts.payout}
      actions={query.data === undefined ? null : <CancelPayout payout={query.data} />}
    >
      <ObjectView query={query}>{(payout) => <PayoutFacts payout={payout} />}</ObjectView>
    </Page>
  );
}

interface PayoutProps {
  readonly payout: Payout;
}

function PayoutFacts({ payout }: PayoutProps): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const failure = payout.failure_code;
  return (
    <Stack>
      <div>
        <Group>
          <Text fz={{ base: 26, sm: 32 }} fw={650} lh={1.2}>
            <Money minor={payout.amount} currency={payout.currency} />
          </Text>
          <PayoutStatus status={payout.status} texts={texts} />
        </Group>
        {failure !== null && <Text c="dimmed">{texts.failures[failure]}</Text>}
      </div>
      <Section title={texts.facts}>
        <Facts
          facts={[
            [texts.id, <Identifier key="id" value={payout.id} />],
            [texts.bank, payout.bank_code],
            [texts.account, payout.account_number],
            [texts.holder, payout.account_holder],
            [texts.reference, payout.reference_id],
            [texts.description, payout.description],
            [texts.created, <When key="created" at={payout.created_at} />],
            [texts.completed, payout.completed_at && <When at={payout.completed_at} />],
            [texts.failed, payout.failed_at && <When at={payout.failed_at} />],
            [texts.reversed, payout.reversed_at && <When at={payout.reversed_at} />],
          ]}
        />
      </Section>
    </Stack>
  );
}

function CancelPayout({ payout }: PayoutProps): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const can = useCan();
  const queryClient = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const cancel = async (): Promise<void> => {
    const params = {
      path: { payout_id: payout.id },
      query: { environment: payout.environment },
    };
    await unwrap(api.POST('/v1/merchants/me/payouts/{payout_id}/cancel', { params }));
    notifications.show({ message: texts.cancelPayoutDone });
    await queryClient.invalidateQueries();
  };
  if (!can('change_payouts') || payout.status !== 'PENDING') return null;
  return (
    <>
      <Button
        variant="default"
        onClick={() => {
          setIsOpen(true);
        }}
      >
        {texts.cancelPayout}
      </Button>
      <ConfirmDialog
        title={texts.cancelPayoutTitle}
        action={texts.cancelPayout}
        isDangerous
        isOpen={isOpen}
        onClose={() => {
          setIsOpen(false);
        }}
        onConfirm={cancel}
      >
        <Text>{texts.cancelPayoutHelp}</Text>
      </ConfirmDialog>
    </>
  );
}
