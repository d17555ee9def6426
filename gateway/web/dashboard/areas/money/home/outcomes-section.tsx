// Payments that were paid, wait and failed over time: as a chart, and as a table with the same figures.
import { TIME_ZONE_NAME } from '@core/days.js';
import { SegmentedControl, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
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
import { OutcomesChart } from './outcomes-chart.js';
import { OutcomesTable } from './outcomes-table.js';
import { HOME_TEXTS } from './texts.js';

/** As high as the chart with its legend and its note. */
const LOADING = <Skeleton height={306} aria-busy />;
const SHAPES = ['chart', 'table'] as const;
type Shape = (typeof SHAPES)[number];

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

/** `isLoading`: whether there is anything to show is not known yet. */
export function OutcomesSection({ isLoading }: { readonly isLoading: boolean }): ReactNode {
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
      <DetailView query={useStatistics(period)} loading={LOADING}>
        {(statistics) => (isLoading ? LOADING : <Figures statistics={statistics} shape={shape} />)}
      </DetailView>
    </Section>
  );
}

interface FiguresProps {
  readonly statistics: Statistics;
  readonly shape: Shape;
}

/** Screen readers get the table always, and the chart never. */
function Figures({ statistics, shape }: FiguresProps): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  return (
    <Stack gap="xs">
      {shape === 'table' ? (
        <div className={classes.scroll} tabIndex={0} role="region" aria-label={texts.table}>
          <OutcomesTable statistics={statistics} />
        </div>
      ) : (
        <>
          {isEmpty(statistics) && <Text c="dimmed">{texts.nothingInPeriod}</Text>}
          <div aria-hidden>
            <Chart statistics={statistics} />
          </div>
          <div className={classes.behind}>
            <VisuallyHidden>
              <OutcomesTable statistics={statistics} />
            </VisuallyHidden>
          </div>
        </>
      )}
      <Text size="xs" c="dimmed">
        {texts.inZone(TIME_ZONE_NAME)} {statistics.pending.complete ? '' : texts.incomplete}
      </Text>
    </Stack>
  );
}

function Chart({ statistics }: Pick<FiguresProps, 'statistics'>): ReactNode {
  const texts = useTexts(HOME_TEXTS);
  const { language } = useLanguage();
  const columns = statistics.data.map(({ start, paid, pending, failed }) => ({
    start,
    label: labelStart(start, statistics, language),
    paid: paid.count,
    pending: pending.count,
    failed: failed.count,
  }));
  return (
    <OutcomesChart
      columns={columns}
      names={{ paid: texts.paid, pending: texts.waiting, failed: texts.failed }}
      formatCount={(count) => formatCount(count, language)}
    />
  );
}
