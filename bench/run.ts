// `npm run bench`: the benches of the table one after the other on one stage, under five minutes, and the
// table in README.md written anew.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../store/postgres/package-root.js';
import { benchCreate } from './create.js';
import { benchGet } from './get.js';
import { formatRows, type Row } from './figures/row.js';
import { onStage } from './stage/stage.js';
import { benchOpenLoop } from './open-loop.js';
import { benchTakeOver } from './take-over.js';

const BEGIN = '<!-- measured: npm run bench writes from here -->';
const END = '<!-- to here -->';

const startedAtMs = performance.now();
const rows: Row[] = [];
let machine = '';
await onStage(async (stage) => {
  machine = stage.machine;
  rows.push(...(await benchCreate(stage)));
  rows.push(...(await benchGet(stage)));
  rows.push(...(await benchOpenLoop(stage)));
});
rows.push(...(await benchTakeOver()));

const table = formatRows(rows);
console.log(`\n${table}\n`);
writeTable(`Measured ${new Date().toISOString().slice(0, 10)} on ${machine}.\n\n${table}`);
console.log(`${Math.round((performance.now() - startedAtMs) / 1000)} s`);

function writeTable(text: string): void {
  const path = join(packageRoot(), 'bench', 'README.md');
  const readme = readFileSync(path, 'utf8');
  const [from, to] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${path} has no place for the table`);
  const kept = [readme.slice(0, from + BEGIN.length), readme.slice(to)];
  writeFileSync(path, `${kept[0]}\n\n${text}\n\n${kept[1]}`);
}
