// The balance of the environment, in its four parts.
import { SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { DetailView, NumberCard } from '@dashboard/shared/parts/detail-view.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { useBalance } from '@dashboard/shared/session/balance.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MONEY_TEXTS } from '../texts.js';

export function BalanceCards(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  return (
    <DetailView query={useBalance()}>
      {({ data }) =>
        data.map(({ currency, available, pending, in_transit: inTransit, reserved }) => (
          <SimpleGrid key={currency} cols={{ base: 1, xs: 2, lg: 4 }}>
            <NumberCard name={texts.available} help={texts.availableHelp}>
              <Money minor={available} currency={currency} />
            </NumberCard>
            <NumberCard name={texts.pending} help={texts.pendingHelp}>
              <Money minor={pending} currency={currency} />
            </NumberCard>
            <NumberCard name={texts.inTransit} help={texts.inTransitHelp}>
              <Money minor={inTransit} currency={currency} />
            </NumberCard>
            <NumberCard name={texts.reserved} help={texts.reservedHelp}>
              <Money minor={reserved} currency={currency} />
            </NumberCard>
          </SimpleGrid>
        ))
      }
    </DetailView>
  );
}

/** The available balance in one line. */
export function AvailableNow(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  return (
    <DetailView query={useBalance()}>
      {({ data }) =>
        data.map(({ currency, available }) => (
          <Text key={currency}>
            {texts.available}: <Money minor={available} currency={currency} />
          </Text>
        ))
      }
    </DetailView>
  );
}
