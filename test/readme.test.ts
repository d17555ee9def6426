// Tables of README.md and docs/ that repeat the code are held against it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ACTIONS_OF_KIND, TASK_ACTIONS } from '../actors/core/tasks/kinds.js';
import { Variables } from '../ops/runtime/variables.js';
import { findPackageRoot } from '../ops/runtime/package-root.js';

/** The cells of the rows of the table that has this head. */
function readTable(file: string, head: string): string[][] {
  const lines = readFileSync(join(findPackageRoot(), file), 'utf8').split('\n');
  const first = lines.findIndex((line) => line.startsWith(head));
  const rows = lines.slice(first + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const namesIn = (cell: string): string[] =>
  [...cell.matchAll(/`([A-Za-z_]+)`/g)].map((m) => m[1] ?? '');

t.test('variables', (t) => {
  const schemas: Record<string, { default?: unknown }> = Variables.properties;
  const rows = readTable('README.md', '| Variable | Default |');
  t.ok(rows.length > 5);
  for (const [names = '', presets = ''] of rows) {
    const parts = namesIn(names).length === 1 ? [presets] : presets.split(',');
    const values = parts.map((value) => value.trim().replaceAll('`', ''));
    for (const [index, name] of namesIn(names).entries()) {
      const schema = schemas[name];
      t.ok(schema, `${name} is a variable`);
      const value = values[index] === 'empty' ? '' : values[index];
      // Presets that are told in words have no `default` in the schema.
      if (schema?.default !== undefined) t.equal(value, schema.default, `the preset of ${name}`);
    }
  }
  t.end();
});

t.test('operator tasks', (t) => {
  const kinds = readTable('docs/operators.md', '| Kind |');
  const told = kinds.map(([kind = '', , actions = '']) => [
    kind.replaceAll('`', ''),
    namesIn(actions),
  ]);
  t.same(Object.fromEntries(told), ACTIONS_OF_KIND);
  const actions = readTable('docs/operators.md', '| Action |');
  t.same(
    actions.map(([action = '']) => action.replaceAll('`', '')),
    [...TASK_ACTIONS],
  );
  t.end();
});
