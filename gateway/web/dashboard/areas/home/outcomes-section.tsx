// Payments that were paid, wait and failed over time: as a chart, and as a table with the same figures. The chart is loaded
// when the figures are shown and the browser is idle, since its library has half the size of everything else on the page.
import { SegmentedControl, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, type ReactNode, useEffect, useState } from 'react';
import { OptionalPart } from '@dashboard/shared/faults/optional-part.js';
import { DetailView, Section } from '@dashboard/shared/parts/detail-view.js';
import { formatCount } from '@dashboard/shared/text/format.js';
import { useLanguage, useTexts } from '@dashboard/shared/text/language.js';
import {
  isEmpty,
  type Period,
  PERIODS,
  readPeriod,
  type Statistics,
  useStatistics,
} from './figures.js';
import classes from './home.module.css';
import { labelStart } from './labels.js';
import { OutcomesTable } from './outcomes-table.js';
import { HOME_TEXTS } from './texts.js';

const CHART_HEIGHT = 280;
/** A busy browser loads the chart nevertheless. */
const IDLE_AT_LATEST_MS = 2_000;
const SHAPES = ['chart', 'table'] as const;
type Shape = (typeof SHAPES)[number];

const OutcomesChart = lazy(async () => {
  const { OutcomesChart: default_ } = await import('./outcomes-chart.js');
  return { default: default_ };
});

/** The period that the address names. */
export function usePeriod(): readonly [Period, (period: Period) => void] {
  const { period } = useSearch({ from: '/signed-in/' });
  const navigate = useNavigate({ from: '/' });
  return [
    readPeriod(period),
    (chosen) =>
      void navigate({ search: (former) => ({ ...former, period: chosen }), replace: true }),
  ];
}

export function OutcomesSection(): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  const [period, choose] = usePeriod();
  const [shape, setShape] = useState<Shape>('chart');
  return (
    <Section
      title={texts.overTime}
      actions={
        <div className={classes.choices}>
          <SegmentedControl
            size="xs"
            aria-label={texts.period}
            value={period}
            data={PERIODS.map((value) => ({ value, label: texts.periods[value] }))}
            onChange={(chosen) => {
              choose(readPeriod(chosen));
            }}
          />
          <SegmentedControl
            size="xs"
            aria-label={`${texts.chart} / ${texts.table}`}
            value={shape}
            data={SHAPES.map((value) => ({ value, label: texts[value] }))}
            onChange={(chosen) => {
              setShape(chosen === 'table' ? 'table' : 'chart');
            }}
          />
        </div>
      }
    >
      <DetailView query={useStatistics(period)}>
        {(statistics) => <Figures statistics={statistics} shape={shape} />}
      </DetailView>
    </Section>
  );
}

interface FiguresProps {
  readonly statistics: Statistics;
  readonly shape: Shape;
}

/** Screen readers get the table always, and the chart never. Without the file of the chart everybody gets the table. */
function Figures({ statistics, shape }: FiguresProps): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  const [isChartLost, setIsChartLost] = useState(false);
  return (
    <Stack gap="xs">
      {shape === 'table' || isChartLost ? (
        <div className={classes.scroll} tabIndex={0} role="region" aria-label={texts.table}>
          <OutcomesTable statistics={statistics} />
        </div>
      ) : (
        <>
          {isEmpty(statistics) && <Text c="dimmed">{texts.nothingInPeriod}</Text>}
          <div className={classes.chart} aria-hidden>
            <Chart
              statistics={statistics}
              onFailed={() => {
                setIsChartLost(true);
              }}
            />
          </div>
          <div className={classes.behind}>
            <VisuallyHidden>
              <OutcomesTable statistics={statistics} />
            </VisuallyHidden>
          </div>
        </>
      )}
      <Text size="xs" c="dimmed">
        {texts.inZone(statistics.time_zone)} {statistics.pending.complete ? '' : texts.incomplete}
      </Text>
    </Stack>
  );
}

interface ChartProps {
  readonly statistics: Statistics;
  readonly onFailed: () => void;
}

function Chart({ statistics, onFailed }: ChartProps): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  const { language } = useLanguage();
  const isIdle = useIsIdle();
  const loading = <Skeleton height={CHART_HEIGHT} aria-busy />;
  if (!isIdle) return loading;
  const bars = statistics.data.map(({ start, paid, pending, failed }) => ({
    label: labelStart(start, statistics, language),
    paid: paid.count,
    pending: pending.count,
    failed: failed.count,
  }));
  return (
    <OptionalPart loading={loading} onFailed={onFailed}>
      <OutcomesChart
        bars={bars}
        names={{ paid: texts.paid, pending: texts.waiting, failed: texts.failed }}
        height={CHART_HEIGHT}
        formatCount={(count) => formatCount(count, language)}
      />
    </OptionalPart>
  );
}

/** Whether the browser has drawn the page and had nothing else to do. */
function useIsIdle(): boolean {
  const [isIdle, setIsIdle] = useState(false);
  useEffect(() => {
    const end = (): void => {
      setIsIdle(true);
    };
    // Safari lacks it.
    if (!('requestIdleCallback' in globalThis)) {
      const timer = setTimeout(end);
      return () => {
        clearTimeout(timer);
      };
    }
    const request = requestIdleCallback(end, { timeout: IDLE_AT_LATEST_MS });
    return () => {
      cancelIdleCallback(request);
    };
  }, []);
  return isIdle;
}
