// The chart, in a file of its own: its library is loaded when a chart is shown. It shows numbers of payments, no money.
import { BarChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import type { ReactNode } from 'react';
import { formatCount } from '@dashboard/shared/text/format.js';
import { type Language, useTexts } from '@dashboard/shared/text/language.js';
import type { Statistics } from './figures.js';
import { labelStart } from './labels.js';
import { HOME_TEXTS } from './texts.js';

const BAR_PX = 28;
const AXIS_PX = 44;
const GAP_PX = 18;

interface OutcomesChartProps {
  readonly statistics: Statistics;
  readonly height: number;
  readonly language: Language;
}

export function OutcomesChart({ statistics, height, language }: OutcomesChartProps): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  const data = statistics.data.map(({ start, paid, pending, failed }) => ({
    label: labelStart(start, statistics, language),
    paid: paid.count,
    pending: pending.count,
    failed: failed.count,
  }));
  return (
    <BarChart
      h={height}
      data={data}
      dataKey="label"
      type="stacked"
      series={[
        { name: 'paid', label: texts.paid, color: 'var(--home-paid)' },
        { name: 'pending', label: texts.waiting, color: 'var(--home-pending)' },
        { name: 'failed', label: texts.failed, color: 'var(--home-failed)' },
      ]}
      valueFormatter={(value) => formatCount(value, language)}
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
