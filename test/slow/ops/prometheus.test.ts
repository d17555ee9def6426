// Prometheus' own tool takes the alert rules, and finds that each alert fires at its first event and at nothing else.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { type AlertCase, readAlert } from '#test/ops/alert-series.js';
import { ALERT_CASES } from '#test/ops/alert-cases.js';
import { needProgram } from '#test/support/suite/programs.js';

const FOLDER = join(findPackageRoot(), 'ops/prometheus');
const RULES_FILES = ['rules.yml', 'service-levels.yml'].map((name) => join(FOLDER, name));
const promtool = needProgram('promtool', 'prometheus');

t.test('promtool takes the rules, and the configurations that name them', (t) => {
  for (const name of ['prometheus.yml', 'compose.yml']) {
    const tool = spawnSync(promtool, ['check', 'config', join(FOLDER, name)], { encoding: 'utf8' });
    t.equal(tool.status, 0, tool.stdout + tool.stderr);
    for (const file of RULES_FILES) t.match(tool.stdout, `Checking ${file}`);
  }
  t.end();
});

/** The value of each series in promtool's notation, one for every 15 s, with the event after ten minutes. */
const buildInput = (series: AlertCase['fires']) =>
  Object.entries(series).map(([name, [before, after]]) => ({
    series: name,
    values: `${before}x40 ${after}`,
  }));

const formatTime = (minutes: number): string => `${minutes * 60}s`;

/** How often the alert was firing from the start until that minute. */
const buildCount = (alert: string, minute: number) => ({
  expr: `count_over_time(ALERTS{alertname="${alert}",alertstate="firing"}[3d])`,
  eval_time: formatTime(minute),
});

const MINUTES_OF_SILENCE = 10;

function buildTests(title: string, { fires, firesAtMin, silent }: AlertCase): object[] {
  const alert = readAlert(title);
  const lateMin = firesAtMin + MINUTES_OF_SILENCE;
  const fired = {
    expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
    eval_time: formatTime(firesAtMin),
    exp_samples: [{ labels: '{}', value: 1 }],
  };
  return [
    {
      name: `${title} fires`,
      interval: '15s',
      input_series: buildInput(fires),
      promql_expr_test: [{ ...buildCount(alert, 10), exp_samples: [] }, fired],
    },
    {
      name: `${title} is silent`,
      interval: '15s',
      input_series: buildInput(silent),
      promql_expr_test: [{ ...buildCount(alert, lateMin), exp_samples: [] }],
    },
  ];
}

t.test('each alert fires at its first event, and is silent without one', (t) => {
  const file = join(t.testdir(), 'alerts.json');
  const tests = Object.entries(ALERT_CASES).flatMap(([title, one]) => buildTests(title, one));
  // promtool reads YAML, and JSON is YAML.
  const suite = { rule_files: RULES_FILES, evaluation_interval: '15s', tests };
  writeFileSync(file, JSON.stringify(suite));
  const tool = spawnSync(promtool, ['test', 'rules', file], { encoding: 'utf8' });
  t.equal(tool.status, 0, tool.stdout + tool.stderr);
  t.end();
});
