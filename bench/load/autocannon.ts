// The create case with autocannon, for information: the tool that most people have at hand.
//   node dist/bench/load/autocannon.js [seconds] [connections]
// It costs so much CPU itself that on two cores it compresses every ratio: compare its own share.
import autocannon, { type Result } from 'autocannon';
import type { Target } from '../stage/control.js';
import { describeCpu, readCpu, subtractCpu } from '../figures/cpu.js';
import { newRun } from './requests.js';
import { isStarted, onStage, watchedOf } from '../stage/stage.js';
import { formatCount, formatMs } from '../figures/statistics.js';

function cannon(target: Target, duration: number, connections: number): Promise<Result> {
  const run = newRun();
  let counter = 0;
  return autocannon({
    url: `http://127.0.0.1:${target.port}`,
    connections,
    duration,
    requests: [
      {
        method: 'POST',
        path: '/v1/payments',
        setupRequest: (request) => {
          counter += 1;
          const body = JSON.stringify({
            amount: String(100_000 + (counter % 899_999)),
            currency: 'IDR',
            payment_method: 'QRIS',
            customer_name: 'Budi Santoso',
            description: 'Order of the benchmark',
            reference_id: `ref-${run}-${counter}`,
          });
          const headers = {
            authorization: `Bearer ${target.key}`,
            'content-type': 'application/json',
            'idempotency-key': `bench-${run}-${counter}`,
          };
          return { ...request, headers, body };
        },
      },
    ],
  });
}

if (isStarted(import.meta.url)) {
  const [seconds = '8', connections = '256'] = process.argv.slice(2);
  await onStage(async (stage) => {
    for (const target of [stage.control, stage.service, stage.control, stage.service]) {
      const before = readCpu(watchedOf(stage));
      const result = await cannon(target, Number(seconds), Number(connections));
      const cpu = subtractCpu(readCpu(watchedOf(stage)), before);
      const answers = result['2xx'];
      console.log(
        `${target.name.padEnd(10)} ${formatCount(answers / result.duration).padStart(7)}/s  ` +
          `p50 ${formatMs(result.latency.p50)}  p99 ${formatMs(result.latency.p99)}  ` +
          `errors ${result.errors + result.non2xx}  CPU µs: ${describeCpu(cpu, answers)}`,
      );
    }
  });
}
