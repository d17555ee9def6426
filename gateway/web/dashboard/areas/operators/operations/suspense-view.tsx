// The money in suspense, by account, with the way to its cases.
import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { adminApi, type AdministratorSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { AdminList } from '../parts/admin-list.js';
import { MerchantLink, TextLink } from '../parts/links.js';
import { ADMIN_TEXTS } from '../parts/texts.js';
import { OPERATIONS_TEXTS } from './texts.js';

type Account = AdministratorSchema['SuspenseAccount'];

function useColumns(): readonly Column<Account>[] {
  const texts = useTexts(OPERATIONS_TEXTS);
  const shared = useTexts(ADMIN_TEXTS);
  return [
    {
      name: texts.account,
      render: ({ merchant_id: merchant }) =>
        merchant === null ? shared.platform : <MerchantLink id={merchant} />,
    },
    {
      name: shared.amount,
      isNumber: true,
      render: ({ amount, currency }) => (
        <Stack gap={0} align="flex-end">
          <Money minor={amount} currency={currency} />
          {amount.startsWith('-') && (
            <Text size="xs" c="var(--mantine-color-error)">
              {texts.shortOf}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      name: texts.openTasks,
      isNumber: true,
      render: ({ merchant_id: merchant, open_tasks: count }) => (
        <TextLink
          to="/admin/tasks"
          search={merchant === null ? { kind: 'unknown_order' } : { merchant_id: merchant }}
          aria-label={`${texts.openTasks}: ${count}`}
        >
          {count}
        </TextLink>
      ),
    },
  ];
}

export function SuspenseView(): ReactNode {
  const texts = useTexts(OPERATIONS_TEXTS);
  return (
    <Page title={texts.suspense}>
      <Text c="dimmed">{texts.suspenseHelp}</Text>
      <AdminList
        label={texts.suspense}
        name="suspense"
        load={() => unwrap(adminApi.GET('/v1/admin/suspense'))}
        columns={useColumns()}
        rowKey={({ merchant_id: merchant, currency }) => `${merchant ?? ''} ${currency}`}
        empty={texts.noSuspense}
        emptyHelp={texts.noSuspenseHelp}
      />
    </Page>
  );
}
