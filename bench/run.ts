// `npm run bench`: the benches of the table one after the other on one stage, under five minutes, and the
// table in README.md written anew.
import { benchCreate } from './create.js';
import { describeRun, writeSection } from './figures/readme.js';
import { formatRows, type Row } from './figures/row.js';
import { benchGet } from './get.js';
import { rowOfPeaks } from './memory.js';
import { benchOpenLoop } from './open-loop.js';
import { onStage } from './stage/stage.js';
import { benchTakeOver } from './take-over.js';

const startedAtMs = performance.now();
const rows: Row[] = [];
let machine = '';
await onStage(async (stage) => {
  machine = stage.machine;
  rows.push(...(await benchCreate(stage)));
  rows.push(...(await benchGet(stage)));
  rows.push(...(await benchOpenLoop(stage)));
  rows.push(rowOfPeaks(stage));
});
rows.push(...(await benchTakeOver()));

const table = formatRows(rows);
console.log(`\n${table}\n`);
writeSection('table', `${describeRun(machine)}\n\n${table}`);
console.log(`${Math.round((performance.now() - startedAtMs) / 1000)} s`);
