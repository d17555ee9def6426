// The rows of a list: a table on a wide screen, cards on a phone. The whole row leads to its object.
import { Card } from '@mantine/core';
import { type ColumnDef, flexRender, tableFeatures, useTable } from '@tanstack/react-table';
import type { ReactNode } from 'react';
import classes from './list.module.css';

export interface Column<Row> {
  readonly name: string;
  /** `rows`: all that are shown. */
  readonly render: (row: Row, rows: readonly Row[]) => ReactNode;
  /** Numbers are aligned to the right. */
  readonly isNumber?: boolean;
  /** Its place on a phone. If a column has one, a row has two lines there, and columns without one are left out. */
  readonly onPhone?: PhonePlace;
}

/** The first line: `title` and `status`. The second one, smaller: `detail` and `note`. */
export type PhonePlace = 'title' | 'status' | 'detail' | 'note';

interface ListTableProps<Row> {
  /** Names the table for screen readers. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  /** Wraps the first cell in a RowLink, whose press area is the row. */
  readonly rowLink?: ((row: Row, content: ReactNode) => ReactNode) | undefined;
}

const FEATURES = tableFeatures({});

export function ListTable<Row extends object>(props: ListTableProps<Row>): ReactNode {
  const { label, rows, columns, rowKey, rowLink } = props;
  const definitions = columns.map(({ name, render }): ColumnDef<typeof FEATURES, Row> => ({
    id: name,
    header: name,
    cell: ({ row, column }) =>
      column.id === columns[0]?.name && rowLink !== undefined
        ? rowLink(row.original, render(row.original, rows))
        : render(row.original, rows),
  }));
  const table = useTable({
    features: FEATURES,
    data: [...rows],
    columns: definitions,
    getRowId: rowKey,
  });
  const hasPlaces = columns.some(({ onPhone }) => onPhone !== undefined);
  const classOf = (index: number): string | undefined =>
    columns[index]?.isNumber === true ? classes.number : undefined;
  // A wide table scrolls. Without links in its rows the keyboard could not reach it.
  const reach = rowLink === undefined ? { tabIndex: 0, role: 'group', 'aria-label': label } : {};
  return (
    <Card withBorder padding={0} className={classes.frame ?? ''} {...reach}>
      <table className={classes.table} aria-label={label} data-compact={hasPlaces}>
        <thead>
          <tr>
            {columns.map(({ name }, index) => (
              <th key={name} scope="col" className={classOf(index)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id} data-link={rowLink !== undefined}>
              {row.getAllCells().map((cell, index) => (
                <td
                  key={cell.id}
                  data-name={columns[index]?.name}
                  data-place={columns[index]?.onPhone}
                  className={classOf(index)}
                >
                  <span>{flexRender(cell.column.columnDef.cell, cell.getContext())}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
