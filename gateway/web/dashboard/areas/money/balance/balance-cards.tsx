// The balance of the environment, in its four parts.
import { formatMoney } from '@core/money.js';
import { SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { DetailView, NumberCard } from '@dashboard/shared/parts/detail-view.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { useBalance } from '@dashboard/shared/session/balance.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MONEY_TEXTS } from '../parts/texts.js';

export function BalanceCards(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  return (
    <DetailView query={useBalance()}>
      {({ data }) =>
        data.map(({ currency, available, pending, in_transit: inTransit, reserved }) => (
          <SimpleGrid key={currency} cols={{ base: 1, xs: 2, xl: 4 }}>
            <NumberCard
              name={texts.available}
              help={texts.availableHelp}
              figure={formatMoney(available, currency)}
            />
            <NumberCard
              name={texts.pending}
              help={texts.pendingHelp}
              figure={formatMoney(pending, currency)}
            />
            <NumberCard
              name={texts.inTransit}
              help={texts.inTransitHelp}
              figure={formatMoney(inTransit, currency)}
            />
            <NumberCard
              name={texts.reserved}
              help={texts.reservedHelp}
              figure={formatMoney(reserved, currency)}
            />
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
