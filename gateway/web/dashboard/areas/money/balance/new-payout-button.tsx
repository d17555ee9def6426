// Leads to a new payout; for roles that may make one.
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCan } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { MONEY_TEXTS } from '../parts/texts.js';

export function NewPayoutButton(): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const can = useCan();
  if (!can('change_payouts')) return null;
  return (
    <Button component={Link} to="/payouts/new">
      {texts.newPayout}
    </Button>
  );
}
