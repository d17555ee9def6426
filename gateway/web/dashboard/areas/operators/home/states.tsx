// The state of the installation: stopped switches, rails that take no payments, and money in suspense.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { adminApi } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { useStopped } from '../operations/stopped.js';
import { OPERATIONS_TEXTS } from '../operations/texts.js';
import { MerchantLink } from '../parts/links.js';
import { ADMIN_TEXTS } from '../parts/texts.js';
import { HOME_TEXTS } from './texts.js';
import { AllLink, WaitingCard } from './waiting-card.js';

export function SwitchesCard(): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  return (
    <WaitingCard
      title={texts.switches}
      name="switches"
      empty={texts.switchesEmpty}
      link={<AllLink to="/admin/switches" of={texts.switches} />}
      load={async () => {
        const { data } = await unwrap(adminApi.GET('/v1/admin/switches'));
        return { rows: data.filter(({ enabled }) => !enabled), hasMore: false };
      }}
      rowKey={({ name }) => name}
      renderRow={({ name, changed_at: at }) => (
        <>
          <Stopped name={name} />
          <When at={at} isRelative />
        </>
      )}
    />
  );
}

function Stopped({ name }: { readonly name: string }): ReactNode {
  return <Text style={{ overflowWrap: 'anywhere' }}>{useStopped(name)}</Text>;
}

export function RailsCard(): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  const labels: Readonly<Record<string, string>> = useTexts(OPERATIONS_TEXTS).railStatuses;
  return (
    <WaitingCard
      title={texts.rails}
      name="rails"
      empty={texts.railsEmpty}
      link={<AllLink to="/admin/rails" of={texts.rails} />}
      load={async () => {
        const { data } = await unwrap(adminApi.GET('/v1/admin/rails'));
        return { rows: data.filter(({ status }) => status !== 'available'), hasMore: false };
      }}
      rowKey={({ rail }) => rail}
      renderRow={({ rail, status }) => (
        <>
          <Text>{rail}</Text>
          <StatusBadge status="failed" label={labels[status] ?? status} />
        </>
      )}
    />
  );
}

export function SuspenseCard(): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  const { platform } = useTexts(ADMIN_TEXTS);
  return (
    <WaitingCard
      title={texts.suspense}
      name="suspense"
      empty={texts.suspenseEmpty}
      link={<AllLink to="/admin/suspense" of={texts.suspense} />}
      load={async () => {
        const { data } = await unwrap(adminApi.GET('/v1/admin/suspense'));
        return { rows: data, hasMore: false };
      }}
      rowKey={({ merchant_id: merchant, currency }) => `${merchant ?? ''} ${currency}`}
      renderRow={({ merchant_id: merchant, amount, currency }) => (
        <>
          {merchant === null ? <Text>{platform}</Text> : <MerchantLink id={merchant} />}
          <Money minor={amount} currency={currency} />
        </>
      )}
    />
  );
}
