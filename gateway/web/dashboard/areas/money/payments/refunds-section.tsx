// The refunds of a payment; absent while there are none.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { DetailView, Section } from '@dashboard/shared/parts/detail-view.js';
import { ListTable } from '@dashboard/shared/lists/list-table.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { linkRefund, listRefundColumns } from '../refunds/refund-columns.js';
import { MONEY_TEXTS } from '../parts/texts.js';
import type { Payment } from './payment-columns.js';

const REFRESH_MS = 10_000;

export function RefundsSection({ payment }: { readonly payment: Payment }): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const { id, environment } = payment;
  const query = useQuery({
    queryKey: ['payment-refunds', environment, id],
    queryFn: () =>
      unwrap(
        api.GET('/v1/merchants/me/refunds', { params: { query: { environment, payment_id: id } } }),
      ),
    enabled: payment.paid_at !== null,
    refetchInterval: REFRESH_MS,
  });
  const { data, error } = query;
  if (data === undefined ? error === null : data.data.length === 0) return null;
  return (
    <Section title={texts.refunds}>
      <DetailView query={query}>
        {({ data: refunds }) => (
          <ListTable
            label={texts.refunds}
            rows={refunds}
            columns={listRefundColumns(texts)}
            rowKey={(refund) => refund.id}
            rowLink={linkRefund}
          />
        )}
      </DetailView>
    </Section>
  );
}
