// Tables in docs/ that repeat the code are compared with it, in both directions.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ACTIONS_OF_KIND, TASK_ACTIONS } from '../actors/core/tasks/kinds.js';
import { RETRY_SCHEDULE_S } from '../actors/core/webhooks/retry-schedule.js';
import { findPackageRoot } from '../ops/runtime/package-root.js';
import { RAIL_VARIABLES } from '../actors/rails/rail-registry.js';
import { Variables } from '../ops/runtime/environment/variables.js';

const read = (path: string): string => readFileSync(join(findPackageRoot(), path), 'utf8');

/** The cells of the rows of every table with this head, without their backticks. */
function readTables(path: string, head: string): string[][] {
  const lines = read(path).split('\n');
  const rows = lines.flatMap((line, index) => {
    if (!line.startsWith(head)) return [];
    const below = lines.slice(index + 2);
    return below.slice(
      0,
      below.findIndex((row) => !row.startsWith('|')),
    );
  });
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

const listNames = (cell: string): string[] => cell.split(', ').filter((name) => name !== '');

t.test('docs/configuration.md has one row for each variable, with its default', (t) => {
  const schemas: Record<string, { default?: unknown }> = Variables.properties;
  const rows = readTables('docs/configuration.md', '| Variable | Default |');
  const ofRails = RAIL_VARIABLES.flatMap(({ url, secrets }) => [url, ...secrets]);
  t.same(rows.map(([name]) => name).sort(), [...Object.keys(schemas), ...ofRails].sort());
  for (const [name = '', shown = ''] of rows) {
    const preset = schemas[name]?.default;
    // A default that the schema does not hold is described in words.
    if (preset !== undefined) t.equal(shown === 'empty' ? '' : shown, preset, name);
  }
  const schedule = rows.find(([name]) => name === 'WEBHOOK_RETRY_SCHEDULE');
  t.equal(schedule?.[1], RETRY_SCHEDULE_S.join(','));
  t.end();
});

t.test('docs/operator-tasks.md lists every kind with its actions', (t) => {
  const rows = readTables('docs/operator-tasks.md', '| Kind |');
  const listed = rows.map(([kind = '', , actions = '']) => [kind, listNames(actions)]);
  t.same(Object.fromEntries(listed), ACTIONS_OF_KIND);
  t.end();
});

t.test('docs/operator-tasks.md explains every action', (t) => {
  const rows = readTables('docs/operator-tasks.md', '| Action |');
  t.same(
    rows.map(([action]) => action),
    [...TASK_ACTIONS],
  );
  t.end();
});

const buildAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');

t.test(
  'docs/operations/README.md leads from every alert to a symptom, as its runbook_url does',
  (t) => {
    const rules = ['rules.yml', 'service-levels.yml'].flatMap((name) =>
      read(`ops/prometheus/${name}`).split('- alert: ').slice(1),
    );
    const runbooks = rules.map((rule) => [
      /^\w+/.exec(rule)?.[0],
      /runbook_url: (\S+)/.exec(rule)?.[1],
    ]);
    t.ok(runbooks.length > 20, 'the alerts were found');
    const listed = readTables('docs/operations/README.md', '| Alert |').map(
      ([alert, symptom = '']) => [alert, `docs/operations/${/\((.+)\)/.exec(symptom)?.[1]}`],
    );
    t.same(listed.sort(), runbooks.sort());
    const pages = new Set(runbooks.map(([, runbook = '']) => runbook.split('#')[0] ?? ''));
    const anchors = [...pages].flatMap((page) =>
      [...read(page).matchAll(/^## (.*)$/gm)].map(
        ([, heading = '']) => `${page}#${buildAnchor(heading)}`,
      ),
    );
    t.same(
      runbooks.filter(([, runbook = '']) => !anchors.includes(runbook)),
      [],
    );
    t.end();
  },
);
