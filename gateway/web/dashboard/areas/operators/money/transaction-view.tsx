// One payment as operators see it: with its attempts at rails and their settlements.
import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { adminApi, type AdministratorSchema } from '@dashboard/shared/api/client.js';
import { ApiFailure, unwrap } from '@dashboard/shared/api/failure.js';
import { DetailView, Facts, Section } from '@dashboard/shared/parts/detail-view.js';
import { Identifier } from '@dashboard/shared/parts/identifier.js';
import { type Column, ListTable } from '@dashboard/shared/lists/list-table.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { PaymentStatus } from '@dashboard/shared/parts/payment-status.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MerchantLink } from '../parts/links.js';
import { Permitted } from '../parts/permitted.js';
import { ADMIN_TEXTS } from '../parts/texts.js';
import { MoneyHead } from './money-head.js';
import { RefundForMerchant } from './refund-for-merchant.js';
import { MONEY_TEXTS } from './texts.js';

type Transaction = AdministratorSchema['Transaction'];

const REFRESH_MS = 5_000;
const NOT_FOUND = 404;

async function loadTransaction(paymentId: string): Promise<Transaction> {
  const params = { query: { payment_id: paymentId } };
  const { data } = await unwrap(adminApi.GET('/v1/admin/transactions', { params }));
  const [found] = data;
  if (found !== undefined) return found;
  const error = { code: 'payment_not_found', message: `There is no payment ${paymentId}.` };
  throw new ApiFailure(NOT_FOUND, { error });
}

export function TransactionView(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const { paymentId } = useParams({ from: '/signed-in/admin/transactions/$paymentId' });
  const query = useQuery({
    queryKey: ['admin', 'transaction', paymentId],
    queryFn: () => loadTransaction(paymentId),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page title={texts.transaction}>
      <DetailView query={query}>
        {(found) => <TransactionSections transaction={found} />}
      </DetailView>
    </Page>
  );
}

function TransactionSections({ transaction }: { readonly transaction: Transaction }): ReactNode {
  const shared = useTexts(ADMIN_TEXTS);
  return (
    <Stack>
      <Group justify="space-between">
        <MoneyHead of={transaction} badge={<PaymentStatus payment={transaction} />} />
        {transaction.status === 'paid' && (
          <Permitted to="decide_money" isQuiet>
            <RefundForMerchant paymentId={transaction.id} />
          </Permitted>
        )}
      </Group>
      <Section title={shared.details}>
        <TransactionFacts transaction={transaction} />
      </Section>
      <Attempts transaction={transaction} />
      <RailTransactions transaction={transaction} />
    </Stack>
  );
}

function TransactionFacts({ transaction }: { readonly transaction: Transaction }): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const shared = useTexts(ADMIN_TEXTS);
  const { currency, refunded_amount: refunded, charged_back_amount: chargedBack } = transaction;
  const showTime = (at: string | null): ReactNode => at && <When at={at} />;
  return (
    <Facts
      facts={[
        [shared.id, <Identifier key="id" value={transaction.id} />],
        [shared.merchant, <MerchantLink key="merchant" id={transaction.merchant_id} />],
        [texts.reference, transaction.reference_id],
        [texts.method, transaction.payment_method],
        [shared.created, showTime(transaction.created_at)],
        [texts.expires, showTime(transaction.expires_at)],
        [texts.paid, showTime(transaction.paid_at)],
        [texts.failed, showTime(transaction.failed_at)],
        [texts.failure, transaction.failure_code],
        [texts.cancelled, showTime(transaction.cancelled_at)],
        [texts.held, showTime(transaction.hold_until)],
        [texts.late, transaction.late ? texts.yes : null],
        [
          texts.refunded,
          refunded === '0' || refunded === chargedBack ? null : (
            <Money key="r" minor={refunded} currency={currency} />
          ),
        ],
        [
          texts.chargedBack,
          chargedBack === undefined ? null : <Money minor={chargedBack} currency={currency} />,
        ],
      ]}
    />
  );
}

function Attempts({ transaction }: { readonly transaction: Transaction }): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const shared = useTexts(ADMIN_TEXTS);
  const { attempts } = transaction;
  const columns: readonly Column<Transaction['attempts'][number]>[] = [
    { name: shared.rail, render: ({ rail }) => rail },
    { name: texts.method, render: ({ payment_method: method }) => method ?? '—' },
    {
      name: shared.status,
      render: ({ status, unconfirmed }) => (
        <>
          <StatusBadge status={status} />
          {unconfirmed && <Text size="xs">{texts.unconfirmed}</Text>}
        </>
      ),
    },
    { name: texts.order, render: ({ order_id: order }) => <Identifier value={order} /> },
  ];
  return (
    <Section title={texts.attempts}>
      {attempts.length === 0 ? (
        <Text c="dimmed">{texts.noAttempts}</Text>
      ) : (
        <ListTable
          label={texts.attempts}
          rows={attempts}
          columns={columns}
          rowKey={({ order_id: order }) => order}
        />
      )}
    </Section>
  );
}

function RailTransactions({ transaction }: { readonly transaction: Transaction }): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const shared = useTexts(ADMIN_TEXTS);
  const { rail_transactions: settlements } = transaction;
  const columns: readonly Column<Transaction['rail_transactions'][number]>[] = [
    {
      name: shared.amount,
      render: ({ amount, currency }) => <Money minor={amount} currency={currency} />,
    },
    { name: shared.rail, render: ({ rail }) => rail },
    { name: texts.standing, render: ({ standing }) => <StatusBadge status={standing} /> },
    { name: texts.railTransaction, render: ({ id }) => <Identifier value={id} /> },
  ];
  return (
    <Section title={texts.railTransactions}>
      {settlements.length === 0 ? (
        <Text c="dimmed">{texts.noRailTransactions}</Text>
      ) : (
        <ListTable
          label={texts.railTransactions}
          rows={settlements}
          columns={columns}
          rowKey={({ rail, id }) => `${rail} ${id}`}
        />
      )}
    </Section>
  );
}
