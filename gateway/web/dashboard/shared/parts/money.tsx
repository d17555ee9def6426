// The one way to show money: digits in minor units, as the API sends them.
import { formatMoney } from '@core/money.js';
import type { ReactNode } from 'react';
import classes from './parts.module.css';

interface MoneyProps {
  readonly minor: string;
  readonly currency: string;
}

export function Money({ minor, currency }: MoneyProps): ReactNode {
  return <span className={classes.money}>{formatMoney(minor, currency)}</span>;
}
