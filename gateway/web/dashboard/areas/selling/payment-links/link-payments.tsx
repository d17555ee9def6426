// The newest payments of a link. Each carries the id of its link in its metadata, which the search of payments finds.
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { DetailView, Section } from '@dashboard/shared/parts/detail-view.js';
import { type Column, ListTable } from '@dashboard/shared/lists/list-table.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { RowLink, TextLink } from '@dashboard/shared/lists/row-link.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { buildTimeColumn } from '@dashboard/shared/lists/time-column.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { useMethodName } from '@dashboard/shared/text/method-names.js';
import { SELLING_TEXTS } from '../parts/texts.js';

type Payment = MerchantSchema['Payment'];

const SHOWN = 10;
const REFRESH_MS = 10_000;

function useColumns(): readonly Column<Payment>[] {
  const { links } = useTexts(SELLING_TEXTS);
  const nameMethod = useMethodName();
  return [
    {
      name: links.amount,
      isNumber: true,
      render: ({ amount, currency }) => <Money minor={amount} currency={currency} />,
    },
    { name: links.status, render: ({ status }) => <StatusBadge status={status} /> },
    { name: links.method, render: ({ payment_method: method }) => nameMethod(method) },
    {
      name: links.customer,
      render: (payment) => payment.customer_name ?? payment.customer_email ?? '—',
    },
    buildTimeColumn(links.created, ({ created_at: at }) => at),
  ];
}

interface LinkPaymentsProps {
  readonly link: MerchantSchema['PaymentLink'];
}

export function LinkPayments({ link }: LinkPaymentsProps): ReactNode {
  const { links } = useTexts(SELLING_TEXTS);
  const columns = useColumns();
  const { id, environment } = link;
  const params = { query: { environment, q: id, limit: SHOWN } };
  const query = useQuery({
    queryKey: ['payments', 'of-link', environment, id],
    queryFn: () => unwrap(api.GET('/v1/merchants/me/payments', { params })),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Section
      title={links.payments}
      actions={
        <TextLink to="/payments" search={{ environment, q: id }} size="sm">
          {links.allPayments}
        </TextLink>
      }
    >
      <DetailView query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">{links.noPayments}</Text>
          ) : (
            <ListTable
              label={links.payments}
              rows={data}
              columns={columns}
              rowKey={(payment) => payment.id}
              rowLink={(payment, content) => (
                <RowLink to="/payments/$paymentId" params={{ paymentId: payment.id }}>
                  {content}
                </RowLink>
              )}
            />
          )
        }
      </DetailView>
    </Section>
  );
}
