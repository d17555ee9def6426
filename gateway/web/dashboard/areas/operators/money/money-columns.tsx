// The columns and filters that the lists of refunds and payouts share.
import type { ReactNode } from 'react';
import type { AdministratorSchema } from '@dashboard/shared/api/client.js';
import { ChoiceFilter } from '@dashboard/shared/lists/filters.js';
import type { Column } from '@dashboard/shared/lists/list-table.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { buildTimeColumn } from '@dashboard/shared/lists/time-column.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { EnvironmentFilter } from '../parts/admin-list.js';
import { MerchantFilter, MerchantName } from '../parts/merchant-names.js';
import { ADMIN_TEXTS } from '../parts/texts.js';
import { MoneyBadge } from './money-badge.js';
import { MONEY_TEXTS } from './texts.js';

type Row = AdministratorSchema['AdminRefund'] | AdministratorSchema['AdminPayout'];

export function useMoneyColumns(): readonly Column<Row>[] {
  const shared = useTexts(ADMIN_TEXTS);
  return [
    {
      name: shared.amount,
      isNumber: true,
      render: ({ amount, currency }) => <Money minor={amount} currency={currency} />,
    },
    { name: shared.status, render: ({ status }) => <MoneyBadge status={status} /> },
    { name: shared.environment, render: ({ environment }) => environment },
    {
      name: shared.merchant,
      render: ({ merchant_id: merchant }) => <MerchantName id={merchant} />,
    },
    { name: shared.rail, render: ({ rail }) => rail ?? '—' },
    buildTimeColumn(shared.created, ({ created_at: at }) => at),
  ];
}

interface MoneyFiltersProps {
  readonly statuses: readonly Row['status'][];
}

export function MoneyFilters({ statuses }: MoneyFiltersProps): ReactNode {
  const labels: Readonly<Record<string, string>> = useTexts(MONEY_TEXTS).statuses;
  const shared = useTexts(ADMIN_TEXTS);
  return (
    <>
      <ChoiceFilter
        name="status"
        label={shared.status}
        any={shared.anyStatus}
        choices={statuses.map((value) => ({ value, label: labels[value] ?? value }))}
      />
      <EnvironmentFilter />
      <MerchantFilter />
    </>
  );
}
