// The chart, in a file of its own with its library, which is larger than the home page: it imports nothing of the page, and is
// loaded after the figures are shown. It shows numbers of payments, no money.
import { BarChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import type { ReactNode } from 'react';

const BAR_PX = 28;
const AXIS_PX = 44;
const GAP_PX = 18;
const SERIES = [
  { name: 'paid', color: 'var(--home-paid)' },
  { name: 'pending', color: 'var(--home-pending)' },
  { name: 'failed', color: 'var(--home-failed)' },
] as const;
type Series = (typeof SERIES)[number]['name'];

interface OutcomesChartProps {
  /** The numbers of payments of each hour or day. */
  readonly bars: readonly (Readonly<Record<Series, number>> & { readonly label: string })[];
  readonly names: Readonly<Record<Series, string>>;
  readonly height: number;
  readonly formatCount: (count: number) => string;
}

export function OutcomesChart({ bars, names, height, formatCount }: OutcomesChartProps): ReactNode {
  return (
    <BarChart
      h={height}
      data={[...bars]}
      dataKey="label"
      type="stacked"
      series={SERIES.map((series) => ({ ...series, label: names[series.name] }))}
      valueFormatter={formatCount}
      withLegend
      legendProps={{ verticalAlign: 'bottom', itemSorter: null }}
      tickLine="none"
      maxBarWidth={BAR_PX}
      xAxisProps={{ minTickGap: GAP_PX }}
      yAxisProps={{ allowDecimals: false, width: AXIS_PX }}
      barProps={{ isAnimationActive: false }}
      barChartProps={{ accessibilityLayer: false }}
    />
  );
}
