// The balance and its statement.
import type { ReactNode } from 'react';
import { Page } from '@dashboard/shared/parts/page.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MONEY_TEXTS } from '../parts/texts.js';
import { BalanceCards } from './balance-cards.js';
import { NewPayoutButton } from './new-payout-button.js';
import { Statement } from './statement.js';

export function BalanceView(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  return (
    <Page title={texts.balance} actions={<NewPayoutButton />}>
      <BalanceCards />
      <Statement />
    </Page>
  );
}
