// The figures of the chart as a table, with the amounts. The table of the library would bring its scroll area along.
import type { ReactNode } from 'react';
import { Money } from '@dashboard/shared/parts/money.js';
import { formatCount, formatPercent } from '@dashboard/shared/text/format.js';
import { useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import type { Outcomes, Statistics } from './figures.js';
import classes from './home.module.css';
import { labelStart } from './labels.js';
import { HOME_TEXTS } from './texts.js';

const UNKNOWN = '—';

export function OutcomesTable({ statistics }: { readonly statistics: Statistics }): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  const { language } = useLanguage();
  const { data, total, currency, interval } = statistics;
  const head = [interval === 'hour' ? texts.time : texts.day, texts.paid, texts.paidAmount];
  return (
    <table className={classes.table} aria-label={texts.overTime}>
      <thead>
        <tr>
          {[...head, texts.waiting, texts.failed, texts.rate].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {data.map((row) => (
          <Row
            key={row.start}
            name={labelStart(row.start, statistics, language)}
            row={row}
            currency={currency}
          />
        ))}
      </tbody>
      <tfoot>
        <Row name={texts.sum} row={total} currency={currency} />
      </tfoot>
    </table>
  );
}

interface RowProps {
  readonly name: string;
  readonly row: Omit<Outcomes, 'start'>;
  readonly currency: string;
}

function Row({ name, row, currency }: RowProps): ReactNode {
  const { language } = useLanguage();
  const { paid, pending, failed, success_rate: rate } = row;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{formatCount(paid.count, language)}</td>
      <td>
        <Money minor={paid.amount} currency={currency} />
      </td>
      <td>{formatCount(pending.count, language)}</td>
      <td>{formatCount(failed.count, language)}</td>
      <td>{rate === null ? UNKNOWN : formatPercent(rate, language)}</td>
    </tr>
  );
}
