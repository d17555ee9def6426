// Alert rules and dashboard ask for metrics that running processes really have, and Prometheus' own tool
// takes the rules.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { needProgram } from './debian.js';
import {
  readMetrics,
  type RunningProcess,
  startProcess,
  startService,
} from '../support/processes.js';

const folder = join(findPackageRoot(), 'ops');
const rules = readFileSync(join(folder, 'prometheus', 'rules.yml'), 'utf8');
const dashboard = readFileSync(join(folder, 'grafana', 'overview.json'), 'utf8');

/** Words that PromQL itself brings, and labels that the rules name. */
const NOT_METRICS = new Set(
  'sum by le rate increase histogram_quantile scalar max offset up code type outcome route method rail operation currency status kind'.split(
    ' ',
  ),
);

function expressions(): string[] {
  const fromRules = [...rules.matchAll(/expr: (?:\|\n((?: {10,}.*\n)+)|(.*))/g)];
  const fromPanels = [...dashboard.matchAll(/"expr": "((?:[^"\\]|\\.)*)"/g)];
  return [
    ...fromRules.map((match) => match[1] ?? match[2] ?? ''),
    ...fromPanels.map((match) => String(JSON.parse(`"${match[1] ?? ''}"`))),
  ];
}

/** The metrics of an expression, with the suffixes of a histogram taken off. */
function metricsOf(expression: string): string[] {
  const bare = expression.replace(/"[^"]*"/g, '').replace(/\[[^\]]*\]/g, '');
  return [...bare.matchAll(/[a-z][a-z0-9_]{2,}/g)]
    .map(([name]) => name)
    .filter((name) => !NOT_METRICS.has(name))
    .map((name) => name.replace(/_(bucket|sum|count)$/, ''));
}

async function readMetricNames(process: RunningProcess): Promise<string[]> {
  const page = await readMetrics(process);
  return [...page.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1] ?? '');
}

t.test('every metric that is asked for exists', async (t) => {
  const service = await startService(t, {});
  const webhooks = await startProcess(t, 'webhooks', service.variables);
  const rails = await startProcess(t, 'rails', service.variables);
  const running = [...service.gateways, ...service.payments, webhooks, rails];
  const names = new Set((await Promise.all(running.map(readMetricNames))).flat());
  const asked = new Set(expressions().flatMap(metricsOf));
  t.ok(asked.size > 15, 'the expressions were found');
  t.strictSame(
    [...asked].filter((name) => !names.has(name)),
    [],
  );
});

t.test('promtool takes the rules', (t) => {
  const promtool = needProgram('promtool', 'prometheus');
  const tool = spawnSync(promtool, ['check', 'rules', join(folder, 'prometheus', 'rules.yml')], {
    encoding: 'utf8',
  });
  t.equal(tool.status, 0, tool.stdout + tool.stderr);
  t.end();
});
