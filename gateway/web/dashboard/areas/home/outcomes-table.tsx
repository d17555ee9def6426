// The figures of the chart as a table, with the amounts.
import { Table } from '@mantine/core';
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
    <Table className={classes.table ?? ''} aria-label={texts.overTime}>
      <Table.Thead>
        <Table.Tr>
          {[...head, texts.waiting, texts.failed, texts.rate].map((name) => (
            <Table.Th key={name} scope="col">
              {name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {data.map((row) => (
          <Row
            key={row.start}
            name={labelStart(row.start, statistics, language)}
            row={row}
            currency={currency}
          />
        ))}
      </Table.Tbody>
      <Table.Tfoot>
        <Row name={texts.sum} row={total} currency={currency} />
      </Table.Tfoot>
    </Table>
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
    <Table.Tr>
      <Table.Th scope="row">{name}</Table.Th>
      <Table.Td>{formatCount(paid.count, language)}</Table.Td>
      <Table.Td>
        <Money minor={paid.amount} currency={currency} />
      </Table.Td>
      <Table.Td>{formatCount(pending.count, language)}</Table.Td>
      <Table.Td>{formatCount(failed.count, language)}</Table.Td>
      <Table.Td>{rate === null ? UNKNOWN : formatPercent(rate, language)}</Table.Td>
    </Table.Tr>
  );
}
