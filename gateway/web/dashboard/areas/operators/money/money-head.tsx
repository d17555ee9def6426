// The head of a payment, refund or payout as operators see it: its amount, status and environment.
import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Money } from '@dashboard/shared/parts/money.js';

interface MoneyHeadProps {
  readonly of: {
    readonly amount: string;
    readonly currency: string;
    readonly environment: string;
  };
  readonly badge: ReactNode;
}

export function MoneyHead({
  of: { amount, currency, environment },
  badge,
}: MoneyHeadProps): ReactNode {
  return (
    <Group>
      <Text fz="xl" fw={650}>
        <Money minor={amount} currency={currency} />
      </Text>
      {badge}
      <Text c="dimmed">{environment}</Text>
    </Group>
  );
}
