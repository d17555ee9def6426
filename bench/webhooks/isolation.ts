// Does a dead endpoint delay the others? Each case has 100 endpoints and the same traffic for the healthy ones
// as the control, in which the dead ones' traffic goes nowhere. Latency is from commit to arrival, of the healthy.
import type { Row } from '../figures/row.js';
import { formatMs, percentile } from '../figures/statistics.js';
import { commitOnSchedule, latenciesOf } from './latency.js';
import type { Manner } from './receiver.js';
import { onWebhookStage, type WebhookStage } from './stage.js';

const ENDPOINTS = 100;
const RATE = 300;
const SECONDS = 8;
const WARM_UP_S = 3;
/** Of the healthy ones' rate, for all dead ones together. */
const DEAD_SHARE = 0.1;
const P50 = 1.1;
const P99 = 1.25;

interface Case {
  readonly name: string;
  readonly dead: number;
  readonly manner: Manner;
}

const CASES: readonly Case[] = [
  { name: '1 of 100 hangs', dead: 1, manner: 'hang' },
  { name: '30 of 100 hang', dead: 30, manner: 'hang' },
  { name: '1 drips', dead: 1, manner: 'drip' },
  { name: '1 stalls TLS', dead: 1, manner: 'stall' },
  { name: '1 resets', dead: 1, manner: 'reset' },
  { name: '1 answers 429', dead: 1, manner: 'throttle' },
];

interface Measured {
  readonly p50: number;
  readonly p99: number;
}

export async function benchIsolation(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const one of CASES) rows.push(await benchCase(one));
  return rows;
}

function benchCase({ name, dead, manner }: Case): Promise<Row> {
  const manners = Array.from({ length: ENDPOINTS }, (_, index) => (index < dead ? manner : 'ok'));
  return onWebhookStage(manners, async (stage) => {
    const control = await measure(stage, false);
    const service = await measure(stage, true);
    const again = await measure(stage, false);
    // The machine itself drifts: the control is the better of before and after.
    const least = { p50: Math.min(control.p50, again.p50), p99: Math.min(control.p99, again.p99) };
    console.log(`  ${name}: alone ${describe(least)}, with it ${describe(service)}`);
    return {
      bench: `isolation: ${name}`,
      control: describe(least),
      service: describe(service),
      result: `p50 ${share(service.p50, least.p50)}, p99 ${share(service.p99, least.p99)}`,
      target: 'p50 + ≤ 10 %, p99 + ≤ 25 %',
      isMet: service.p50 <= least.p50 * P50 && service.p99 <= least.p99 * P99,
    };
  });
}

async function measure(stage: WebhookStage, withDead: boolean): Promise<Measured> {
  const good = stage.endpoints.filter(({ manner }) => manner === 'ok');
  const dead = stage.endpoints.filter(({ manner }) => manner !== 'ok');
  const run = async (seconds: number): Promise<number[]> => {
    await stage.forget();
    const [load] = await Promise.all([
      commitOnSchedule(stage, good, RATE, seconds),
      withDead ? commitOnSchedule(stage, dead, RATE * DEAD_SHARE, seconds) : null,
    ]);
    return latenciesOf(stage, load);
  };
  await run(WARM_UP_S);
  const latencies = await run(SECONDS);
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
}

const describe = ({ p50, p99 }: Measured): string => `p50 ${formatMs(p50)}, p99 ${formatMs(p99)}`;

function share(value: number, control: number): string {
  const percent = Math.round((value / control - 1) * 100);
  return `${percent >= 0 ? '+' : '−'} ${Math.abs(percent)} %`;
}
