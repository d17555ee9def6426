// How a payment link is shown: its price, its state, its uses.
import type { ReactNode } from 'react';
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { StatusBadge } from '@dashboard/shared/parts/status-badge.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SELLING_TEXTS, type SellingTexts } from '../parts/texts.js';

type Link = MerchantSchema['PaymentLink'];
interface LinkProps {
  readonly link: Link;
}

export function LinkPrice({ link }: LinkProps): ReactNode {
  const { links } = useTexts(SELLING_TEXTS);
  const { amount, currency, min_amount: least, max_amount: most } = link;
  if (amount !== null) return <Money minor={amount} currency={currency} />;
  if (least === null || most === null) return links.customerChooses;
  return (
    <>
      <Money minor={least} currency={currency} /> – <Money minor={most} currency={currency} />
    </>
  );
}

type State = 'on' | 'off' | 'expired' | 'usedUp';

function findState({ active, expires_at: end, max_uses: most, uses }: Link): State {
  if (!active) return 'off';
  if (end !== null && Date.parse(end) <= Date.now()) return 'expired';
  return most !== null && uses >= most ? 'usedUp' : 'on';
}

export function LinkState({ link }: LinkProps): ReactNode {
  const { links } = useTexts(SELLING_TEXTS);
  const state = findState(link);
  return <StatusBadge status={state === 'on' ? 'active' : state} label={links.states[state]} />;
}

export const writeUses = ({ uses, max_uses: most }: Link, links: SellingTexts['links']): string =>
  most === null ? String(uses) : links.usesOf(uses, most);
