// The merchants. `status=PENDING` is the queue of verifications.
import type { ReactNode } from 'react';
import { adminApi, type AdministratorSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { ChoiceFilter, TextFilter } from '@dashboard/shared/lists/filters.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { RowLink } from '@dashboard/shared/lists/row-link.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { AdminList, type ListQuery } from '../parts/admin-list.js';
import { ADMIN_TEXTS } from '../parts/texts.js';
import { VerificationBadge } from './verification-badge.js';
import { MERCHANT_TEXTS } from './texts.js';

type Merchant = AdministratorSchema['Merchant'];

const PATH = '/v1/admin/merchants';
const STATUSES = ['PENDING', 'APPROVED', 'REJECTED', 'SUSPENDED', 'UNVERIFIED'] as const;

function useColumns(): readonly Column<Merchant>[] {
  const texts = useTexts(MERCHANT_TEXTS);
  const { created } = useTexts(ADMIN_TEXTS);
  return [
    { name: texts.business, render: ({ business_name: name }) => name },
    {
      name: texts.verification,
      render: ({ verificationStatus: status }) => <VerificationBadge status={status} />,
    },
    {
      name: texts.live,
      render: ({ liveEnabled }) => (
        <StatusBadge
          status={liveEnabled ? 'active' : 'disabled'}
          label={liveEnabled ? texts.liveOn : texts.liveOff}
        />
      ),
    },
    { name: created, render: ({ created_at: at }) => <When at={at} /> },
  ];
}

export function MerchantsView(): ReactNode {
  const texts = useTexts(MERCHANT_TEXTS);
  const { anyStatus } = useTexts(ADMIN_TEXTS);
  const load = (query: ListQuery) => unwrap(adminApi.GET(PATH, { params: { query } }));
  return (
    <Page title={texts.merchants}>
      <AdminList
        label={texts.merchants}
        name="merchants"
        load={load}
        columns={useColumns()}
        rowKey={({ id }) => id}
        rowLink={({ id }, content) => (
          <RowLink to="/admin/merchants/$merchantId" params={{ merchantId: id }}>
            {content}
          </RowLink>
        )}
        filters={
          <>
            <TextFilter name="search" label={texts.search} type="search" />
            <ChoiceFilter
              name="status"
              label={texts.verification}
              any={anyStatus}
              choices={STATUSES.map((value) => ({ value, label: texts.statuses[value] }))}
            />
          </>
        }
        empty={texts.noMerchants}
        emptyHelp={texts.noMerchantsHelp}
      />
    </Page>
  );
}
