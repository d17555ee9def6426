// A column of times.
import { When } from '../parts/when.js';
import type { Column } from './list-table.js';

const MINUTE_MS = 60_000;

/** Those of rows in the same minute have seconds, which tell the rows apart. */
export function buildTimeColumn<Row>(name: string, read: (row: Row) => string | null): Column<Row> {
  return {
    name,
    render: (row, rows) => {
      const at = read(row);
      const inMinute = rows.filter((each) => findMinute(read(each)) === findMinute(at));
      return <When at={at} hasSeconds={inMinute.length > 1} />;
    },
  };
}

const findMinute = (at: string | null): number | null =>
  at === null ? null : Math.floor(Date.parse(at) / MINUTE_MS);
