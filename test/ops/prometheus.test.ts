// Alert rules, service levels and dashboards ask for metrics that running processes really have, from their start.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { readMetrics, startProcess } from '../support/processes.js';
import { startRailService } from '../support/rails/service.js';
import { readAlert } from './alert-series.js';
import { ALERT_CASES } from './alert-cases.js';

const folder = join(findPackageRoot(), 'ops');
const rules = ['rules.yml', 'service-levels.yml']
  .map((name) => readFileSync(join(folder, 'prometheus', name), 'utf8'))
  .join('\n');
const dashboards = readdirSync(join(folder, 'grafana'))
  .filter((name) => name.endsWith('.json'))
  .map((name) => ({ name, text: readFileSync(join(folder, 'grafana', name), 'utf8') }));

/** Words that PromQL itself brings, and labels that the rules name. */
const NOT_METRICS = new Set(
  [
    'sum by le rate increase histogram_quantile scalar vector max count topk min_over_time max_over_time avg_over_time',
    'offset or and unless up code type outcome route method rail operation currency status kind follower instance partition job',
    'bucket queue repair version build node',
  ].flatMap((line) => line.split(' ')),
);

/** Names of the version before, which the rules take for one version more: processes are replaced one by one. */
const FORMER_NAMES = /kasir_partitions_total/g;
/** Series that rules record. */
const RECORDED = /slo:[a-z_]+(?::\w+)?/g;

const listRuleExpressions = (): string[] =>
  [...rules.matchAll(/expr: (?:\|\n((?: {10,}.*\n)+)|(.*))/g)].map((match) =>
    (match[1] ?? match[2] ?? '').replace(FORMER_NAMES, 'kasir_partitions').replace(RECORDED, ''),
  );

const listPanelExpressions = (): string[] =>
  dashboards.flatMap(({ text }) =>
    [...text.matchAll(/"expr": "((?:[^"\\]|\\.)*)"/g)].map((match) =>
      String(JSON.parse(`"${match[1] ?? ''}"`)).replace(RECORDED, ''),
    ),
  );

/** The metrics of an expression, with the suffixes of a histogram taken off. */
function metricsOf(expression: string): string[] {
  const bare = expression.replace(/"[^"]*"/g, '').replace(/\[[^\]]*\]/g, '');
  return [...bare.matchAll(/[a-z][a-z0-9_]{2,}/g)]
    .map(([name]) => name)
    .filter((name) => !NOT_METRICS.has(name))
    .map((name) => name.replace(/_(bucket|sum|count)$/, ''));
}

const LABELS_OF_PROMETHEUS = ['instance', 'job'];

type SeriesLabels = Readonly<Record<string, string>>;

/** The series of a page, by the name of their metric. */
function readSeries(page: string): Map<string, SeriesLabels[]> {
  const found = new Map<string, SeriesLabels[]>();
  for (const [, name = '', labels = ''] of page.matchAll(/^([a-z_:]+)(?:\{(.*)\})? \S+$/gm)) {
    found.set(name, [...(found.get(name) ?? []), readLabels(labels)]);
  }
  return found;
}

const readLabels = (text: string): SeriesLabels =>
  Object.fromEntries(
    [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );

/** Prometheus 3 writes a whole bound as `5.0`, the page of a process as `5`. */
const DECIMAL = /\(\\\\\.0\)\?$|\.0$/;

/** The series that an expression names, with one entry for each value of a matcher. */
function listSelectors(expression: string): { name: string; labels: SeriesLabels }[] {
  const bare = expression.replace(/\[[^\]]*\]/g, '');
  return [...bare.matchAll(/([a-z_]+)(?:\{([^}]*)\})?/g)].flatMap(
    ([, name = '', matchers = '']) => {
      if (NOT_METRICS.has(name) || name === 'up') return [];
      return [...matchers.matchAll(/(\w+)=~?"([^"]*)"/g)]
        .reduce<SeriesLabels[]>(
          (sets, [, label = '', values = '']) =>
            sets.flatMap((set) =>
              values.split('|').map((value) => ({ ...set, [label]: value.replace(DECIMAL, '') })),
            ),
          [{}],
        )
        .map((labels) => ({ name, labels }));
    },
  );
}

t.test('every series that an alert names exists at the start of its process', async (t) => {
  const service = await startRailService(t);
  await service.rails.start();
  const webhooks = await startProcess(t, 'webhooks', service.variables);
  const running = [...service.gateways, ...service.payments, webhooks, service.rails];
  const page = (await Promise.all(running.map(readMetrics))).join('\n');
  const names = new Set([...page.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1] ?? ''));
  const asked = new Set([...listRuleExpressions(), ...listPanelExpressions()].flatMap(metricsOf));
  t.ok(asked.size > 15, 'the expressions were found');
  t.strictSame(
    [...asked].filter((name) => name !== 'up' && !names.has(name)),
    [],
  );
  const series = readSeries(page);
  const exists = (name: string, labels: SeriesLabels): boolean =>
    (series.get(name) ?? []).some((one) =>
      Object.entries(labels).every(([label, value]) => one[label] === value),
    );
  const selectors = listRuleExpressions().flatMap(listSelectors);
  const played = Object.values(ALERT_CASES).flatMap(({ fires, silent }) =>
    Object.keys({ ...fires, ...silent }).flatMap(listSelectors),
  );
  for (const { name, labels } of [...selectors, ...played]) {
    const own = Object.entries(labels).filter(([label]) => !LABELS_OF_PROMETHEUS.includes(label));
    t.ok(exists(name, Object.fromEntries(own)), `${name} ${JSON.stringify(labels)}`);
  }
});

t.test('each series that an alert or a dashboard takes from rules is recorded', (t) => {
  const recorded = new Set([...rules.matchAll(/- record: (\S+)/g)].map((match) => match[1]));
  t.ok(recorded.size > 5, 'recorded series were found');
  const asked = [rules, ...dashboards.map(({ text }) => text)].flatMap(
    (text) => text.match(RECORDED) ?? [],
  );
  t.strictSame(
    [...new Set(asked)].filter((name) => !recorded.has(name)),
    [],
  );
  t.end();
});

t.test('no rule and no dashboard asks for a whole bound as Prometheus 2 alone writes it', (t) => {
  const texts = ['prometheus', 'grafana', 'deploy/kubernetes'].flatMap((name) =>
    readdirSync(join(folder, name)).map((file) => readFileSync(join(folder, name, file), 'utf8')),
  );
  const exact = /\b(?:le|quantile)[=!]~?\\?"(?:[^"]*\|)?\d+[|"\\]/g;
  t.match('{le="5"} {le=~\\"1|5\\"}', exact, 'such bounds are found');
  t.strictSame(
    texts.flatMap((text) => text.match(exact) ?? []),
    [],
  );
  t.end();
});

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly description?: string;
  readonly type: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
}

t.test('each dashboard has an identity of its own, and panels that do not overlap', (t) => {
  const parsed = dashboards.map(({ name, text }) => ({
    name,
    ...(JSON.parse(text) as { uid: string; title: string; panels: readonly Panel[] }),
  }));
  t.ok(parsed.length > 7, 'the dashboards were found');
  t.equal(new Set(parsed.map(({ title }) => title)).size, parsed.length);
  for (const { name, uid, panels } of parsed) {
    t.equal(`${uid}.json`, `kasir-${name}`);
    t.equal(new Set(panels.map(({ id }) => id)).size, panels.length, `ids of ${name}`);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)}/${y + Math.floor(cell / w)}`),
    );
    t.equal(new Set(cells).size, cells.length, `places of ${name}`);
    const silent = panels.filter(({ type, description }) => type !== 'row' && !description);
    t.strictSame(silent, [], `descriptions of ${name}`);
  }
  t.end();
});

t.test('each alert has a case', (t) => {
  const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map((match) => match[1]);
  const played = Object.keys(ALERT_CASES).map(readAlert);
  t.same([...new Set(played)].sort(), alerts.sort());
  t.end();
});
