// The one way to show money: digits in minor units, as the API sends them.
import type { ReactNode } from 'react';
import { formatMoney } from '../text/format.js';
import { useLanguage } from '../text/language.js';
import classes from './parts.module.css';

interface MoneyProps {
  readonly minor: string;
  readonly currency: string;
}

export function Money({ minor, currency }: MoneyProps): ReactNode {
  const { language } = useLanguage();
  return <span className={classes.money}>{formatMoney(minor, currency, language)}</span>;
}
