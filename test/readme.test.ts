// Tables of README.md that repeat the code are held against it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Variables } from '../ops/runtime/variables.js';
import { packageRoot } from '../ops/runtime/package-root.js';

const text = readFileSync(join(packageRoot(), 'README.md'), 'utf8');

/** The cells of the rows of the table that has this head. */
function readTable(head: string): string[][] {
  const lines = text.split('\n');
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
  [...cell.matchAll(/`([A-Z_]+)`/g)].map((m) => m[1] ?? '');

t.test('variables', (t) => {
  const schemas: Record<string, { default?: unknown }> = Variables.properties;
  const rows = readTable('| Variable | Default |');
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
