// How many deliveries does a second of CPU make, with everything on, against queues that one builds with BullMQ or graphile-worker?
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import {
  type CpuSeconds,
  describeCpu,
  readCpu,
  subtractCpu,
  type Watched,
} from '../figures/cpu.js';
import type { Row } from '../figures/row.js';
import { formatCount } from '../figures/statistics.js';
import { type NodeProcess, startNode } from '../stage/node-process.js';
import { createDatabase } from '../stage/servers.js';
import type { ControlSettings } from './control.js';
import { commitEvents, envelopeOf } from './events.js';
import type { WebhookStage } from './stage.js';

const AT_LEAST = 2.5;
const CONCURRENCY = 64;
const DONE_MS = 120_000;
const COMMITTED_AT_ONCE = 1_000;
const WARM_UP = 2_000;

interface Measured {
  ratePerSecond: number;
  /** CPU of its own processes and its stores, a delivery. */
  cpuMicros: number;
  description: string;
}

/** The names of the controls, and the files that run them. */
const CONTROLS = { 'BullMQ + fetch': 'bullmq', 'graphile-worker + fetch': 'graphile' } as const;

interface Control {
  readonly name: string;
  readonly port: number;
  readonly process: NodeProcess;
  readonly runs: Measured[];
}

export async function benchThroughput(
  stage: WebhookStage,
  count = 20_000,
  rounds = 2,
): Promise<Row[]> {
  console.log(
    `throughput, ${formatCount(count)} deliveries to ${stage.endpoints.length} endpoints`,
  );
  const controls: Control[] = [];
  try {
    for (const [name, file] of Object.entries(CONTROLS)) {
      controls.push(await startControl(stage, name, file));
    }
    for (const control of controls) await runControl(stage, control, WARM_UP);
    await runService(stage, WARM_UP);
    const services: Measured[] = [];
    for (let round = 0; round < rounds; round += 1) {
      for (const control of controls) {
        control.runs.push(tell(control.name, await runControl(stage, control, count)));
      }
      services.push(tell('service', await runService(stage, count)));
    }
    return controls.map(({ name, runs }) => rowOf(name, best(runs), best(services)));
  } finally {
    for (const control of controls) await control.process.stop();
  }
}

function tell(name: string, measured: Measured): Measured {
  console.log(
    `  ${name.padEnd(25)}${formatCount(measured.ratePerSecond)}/s, ${measured.description}`,
  );
  return measured;
}

/** The run that cost least: whatever else the machine does only adds to it. */
function best(runs: readonly Measured[]): Measured {
  const [first, ...rest] = runs;
  if (first === undefined) throw new Error('nothing was measured');
  return rest.reduce((least, run) => (run.cpuMicros < least.cpuMicros ? run : least), first);
}

function rowOf(name: string, control: Measured, service: Measured): Row {
  const ratio = control.cpuMicros / service.cpuMicros;
  const figures = ({ ratePerSecond, cpuMicros }: Measured): string =>
    `${formatCount(ratePerSecond)}/s, ${Math.round(cpuMicros)} µs CPU`;
  return {
    bench: `webhook deliveries, ${name}`,
    control: figures(control),
    service: figures(service),
    result: `${ratio.toFixed(1)} × by CPU`,
    target: `≥ ${AT_LEAST} × by CPU`,
    isMet: ratio >= AT_LEAST,
  };
}

async function startControl(stage: WebhookStage, name: string, file: string): Promise<Control> {
  const { servers, endpoints, caFile } = stage;
  const port = await findFreePort();
  const redis = new URL(servers.redis.url);
  const settings: ControlSettings = {
    redis: { port: Number(redis.port), password: redis.password },
    databaseUrl: await createDatabase(servers, file),
    urls: endpoints.map(({ url }) => url),
    body: envelopeOf(
      'evt_0123456789abcdefghjkmnpqrs',
      'pay_0123456789abcdefghjkmnpqrs',
      new Date(),
    ),
    ...{ concurrency: CONCURRENCY, port },
  };
  const settingsFile = join(servers.folder, `${file}.json`);
  writeFileSync(settingsFile, JSON.stringify(settings), { mode: 0o600 });
  const process = await startNode({
    name: file,
    file: `dist/bench/webhooks/${file}.js`,
    args: [settingsFile],
    env: { NODE_EXTRA_CA_CERTS: caFile },
    output: join(servers.folder, `${file}.log`),
  });
  return { name, port, process, runs: [] };
}

async function measure(
  stage: WebhookStage,
  watched: Watched,
  count: number,
  work: () => Promise<void>,
): Promise<Measured> {
  await stage.forget();
  const before = readCpu(watched);
  const began = performance.now();
  await work();
  const ratePerSecond = (count * 1_000) / (performance.now() - began);
  const cpu: CpuSeconds = subtractCpu(readCpu(watched), before);
  delete cpu['generator'];
  const { receiver = 0, ...own } = cpu;
  const seconds = Object.values(own).reduce((sum, one) => sum + one, 0);
  const each = (seconds * 1e6) / count;
  const description = `CPU µs ${Math.round(each)}: ${describeCpu(own, count)} (receiver ${Math.round((receiver * 1e6) / count)})`;
  return { ratePerSecond, cpuMicros: each, description };
}

const arrived = (stage: WebhookStage, count: number): Promise<unknown> =>
  waitUntil('all have arrived', async () => (await stage.report()).requests.ok >= count, DONE_MS);

function runControl(stage: WebhookStage, { process, port }: Control, count: number) {
  const { servers, receiver } = stage;
  const watched = { control: process.pid, ...servers.pids, receiver: receiver.pid };
  return measure(stage, watched, count, async () => {
    const response = await fetch(`http://127.0.0.1:${port}/${count}`, { method: 'POST' });
    if (!response.ok) throw new Error('the control could not add its jobs');
    await arrived(stage, count);
  });
}

/** The events are committed before it counts, since that is no part of delivering them. */
async function runService(stage: WebhookStage, count: number): Promise<Measured> {
  const { servers, receiver, webhooks, sql, endpoints } = stage;
  webhooks.kill('SIGSTOP');
  for (let from = 0; from < count; from += COMMITTED_AT_ONCE) {
    await commitEvents(stage, endpoints, Math.min(COMMITTED_AT_ONCE, count - from));
  }
  const watched = { webhooks: webhooks.pid, ...servers.pids, receiver: receiver.pid };
  return measure(stage, watched, count, async () => {
    webhooks.kill('SIGCONT');
    await arrived(stage, count);
    await waitUntil(
      'all are settled',
      async () => {
        const rows = await sql`select 1 from webhook_deliveries where status = 'pending' limit 1`;
        return rows.length === 0;
      },
      DONE_MS,
    );
  });
}
