// What does a delivery of a webhook cost, how soon does it go, and does a dead endpoint stand in the way?
//   node dist/bench/webhooks.js [throughput|latency|due-time|waiting|origins|isolation|isolation:hang …]
import { describeRun, writeSection } from './figures/readme.js';
import { formatRows, type Row } from './figures/row.js';
import { benchDueTime } from './webhooks/due-time.js';
import { benchIsolation, ISOLATION_CASES } from './webhooks/isolation.js';
import { benchLatency } from './webhooks/latency.js';
import { benchOrigins } from './webhooks/origins.js';
import type { Manner } from './webhooks/receiver.js';
import { onWebhookStage } from './webhooks/stage.js';
import { benchThroughput } from './webhooks/throughput.js';
import { benchWaiting } from './webhooks/waiting.js';

const good = (count: number): Manner[] => Array.from({ length: count }, () => 'ok');

let machine = '';
const onGood = (
  count: number,
  bench: (stage: Parameters<typeof benchLatency>[0]) => Promise<Row[]>,
): Promise<Row[]> =>
  onWebhookStage(good(count), (stage) => {
    machine = stage.machine;
    return bench(stage);
  });

const BENCHES: Readonly<Record<string, () => Promise<Row[]>>> = {
  throughput: () => onGood(20, (stage) => benchThroughput(stage)),
  latency: () => onGood(100, (stage) => benchLatency(stage)),
  'due-time': () => onGood(100, (stage) => benchDueTime(stage)),
  waiting: () => benchWaiting(),
  origins: () => benchOrigins(),
  isolation: () => benchIsolation(),
  ...Object.fromEntries(
    ISOLATION_CASES.map((name) => [`isolation:${name}`, () => benchIsolation([name])]),
  ),
};

const names = process.argv.slice(2);
const chosen = Object.entries(BENCHES).filter(([name]) =>
  names.length === 0 ? !name.includes(':') : names.includes(name),
);
const rows: Row[] = [];
for (const [, bench] of chosen) rows.push(...(await bench()));
const table = formatRows(rows);
console.log(`\n${table}`);
if (names.length === 0) writeSection('webhooks', `${describeRun(machine)}\n\n${table}`);
