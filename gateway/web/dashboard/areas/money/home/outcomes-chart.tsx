// The chart: a column for each hour or day, with a part for each outcome. It shows numbers of payments, no money. It is drawn
// here, because a library of charts took more than half the bytes of the page.
import type { ReactNode } from 'react';
import classes from './outcomes-chart.module.css';

const SERIES = ['paid', 'pending', 'failed'] as const;
type Series = (typeof SERIES)[number];
type Names = Readonly<Record<Series, string>>;

export interface Column extends Readonly<Record<Series, number>> {
  /** Unique. */
  readonly start: string;
  readonly label: string;
}

interface OutcomesChartProps {
  readonly columns: readonly Column[];
  readonly names: Names;
  readonly formatCount: (count: number) => string;
}

/** Other labels are left out, and every second of these where the chart is narrow. */
const MOST_LABELS = 7;
const MOST_STEPS = 4;
const NICE_STEPS = [1, 2, 5, 10] as const;

const sum = (column: Column): number => SERIES.reduce((total, series) => total + column[series], 0);

/** The lines of a scale from 0, at whole numbers that are easy to read; the last one is at or above `most`. */
function chooseLines(most: number): readonly number[] {
  const least = Math.max(1, most / MOST_STEPS);
  const magnitude = 10 ** Math.floor(Math.log10(least));
  const factor = NICE_STEPS.find((each) => each * magnitude >= least) ?? 1;
  const step = factor * magnitude;
  const steps = Math.max(1, Math.ceil(most / step));
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
}

export function OutcomesChart({ columns, names, formatCount }: OutcomesChartProps): ReactNode {
  const lines = chooseLines(Math.max(...columns.map(sum)));
  const top = lines.at(-1) ?? 1;
  const labelEvery = Math.ceil(columns.length / MOST_LABELS);
  return (
    <div className={classes.chart}>
      <div className={classes.plot}>
        {lines.map((count) => (
          <div key={count} className={classes.line} style={{ bottom: percent(count, top) }}>
            <span>{formatCount(count)}</span>
          </div>
        ))}
        <div className={classes.columns}>
          {columns.map((column, index) => (
            <div
              key={column.start}
              className={classes.column}
              data-late={index >= columns.length / 2}
            >
              {SERIES.map((series) => (
                <div
                  key={series}
                  className={classes.part}
                  data-part={column[series] === 0 ? undefined : series}
                  style={{ height: percent(column[series], top) }}
                />
              ))}
              {index % labelEvery === 0 && (
                <span className={classes.label} data-second={(index / labelEvery) % 2 === 1}>
                  {column.label}
                </span>
              )}
              <Hint column={column} names={names} formatCount={formatCount} />
            </div>
          ))}
        </div>
      </div>
      <div className={classes.legend}>
        {SERIES.map((series) => (
          <span key={series} data-series={series}>
            {names[series]}
          </span>
        ))}
      </div>
    </div>
  );
}

const percent = (count: number, top: number): string => `${(100 * count) / top}%`;

interface HintProps extends Omit<OutcomesChartProps, 'columns'> {
  readonly column: Column;
}

/** The figures of the column under the pointer. */
function Hint({ column, names, formatCount }: HintProps): ReactNode {
  return (
    <div className={classes.hint}>
      <strong>{column.label}</strong>
      {SERIES.map((series) => (
        <span key={series} data-series={series}>
          {names[series]}: {formatCount(column[series])}
        </span>
      ))}
    </div>
  );
}
