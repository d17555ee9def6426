// Does a rail that hangs delay anybody else, and what do a thousand LIVE creates cost that wait for it?
//   node dist/bench/rails.js [seconds a phase] [phases: A answers, H hangs]
// In turn one simulated rail answers at once, and every call after 45 s; the same number of LIVE creates goes there all
// the time. TEST creates and those of the other rail are measured in each phase once it has settled; what is made of
// them is in rails/phases.ts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../ops/dev/servers/ports.js';
import {
  describeCpu,
  readCpu,
  readMachineCpu,
  readPeakRssMib,
  subtractCpu,
} from './figures/cpu.js';
import { describeMachine } from './figures/machine.js';
import { describeRun, writeSection } from './figures/readme.js';
import type { Row } from './figures/row.js';
import { formatMs, percentile } from './figures/statistics.js';
import { startYardstick } from './figures/yardstick.js';
import { createRequest, newRun } from './load/requests.js';
import { sendOnSchedule } from './load/sender.js';
import { formatPhases, type Measured, type Phase, type Window } from './rails/phases.js';
import { type NodeProcess, startNode } from './stage/node-process.js';
import { type Servers, startServers } from './stage/servers.js';
import { type Service, startService } from './stage/service.js';

const HANG_MS = 45_000;
/** A thousand are under way after HANG_MS. */
const HUNG_RATE = 23;
const TEST_RATE = 150;
const OTHER_RATE = 20;
/** The second one is the control: its neighbours answer, and so does it. */
const PHASES = 'AAAHAHA';
const SECONDS = '20';
/** Queues fill up and drain as long as the rail hangs. */
const SETTLE_S = HANG_MS / 1000;
/** From then on orders are looked up twice, and tables have been vacuumed for the first time. */
const WARM_UP_S = 95;
const WINDOWS = 5;
const CONNECTIONS = 1_500;
const TIMEOUT_MS = 75_000;
const LIMITS_MIB: Readonly<Record<string, number>> = { gateway: 200, payments: 300, rails: 300 };

const SECRETS = {
  midtransServerKey: 'bench-m',
  xenditSecretKey: 'bench-x',
  xenditCallbackToken: 't',
};
const ROUTES = 'QRIS=midtrans;VA_BCA=xendit';
const OPERATIONS = ['charge', 'status', 'close', 'refund', 'payout'] as const;

interface Load {
  readonly key: string;
  readonly method: string;
  readonly rate: number;
}

interface RailStage {
  readonly servers: Servers;
  readonly service: Service;
  readonly simulator: Simulator;
}

interface Simulator {
  readonly url: string;
  readonly process: NodeProcess;
}

interface Measurements {
  readonly phases: readonly Phase[];
  /** The LIVE creates of the phases in which the rail hung. */
  readonly waited: Measured;
}

async function send(service: Service, load: Load, seconds: number): Promise<Measured> {
  const run = newRun();
  const measured: Measured = { sortedMs: [], errors: 0 };
  await sendOnSchedule({
    port: service.port,
    ratePerSecond: load.rate,
    ...{ seconds, connections: CONNECTIONS, timeoutMs: TIMEOUT_MS },
    request: (index) => createRequest(load.key, run, index, { method: load.method }),
    onResult: ({ status, scheduledAtMs, endedAtMs }) => {
      if (status !== 201) measured.errors += 1;
      measured.sortedMs.push(endedAtMs - scheduledAtMs);
    },
  });
  return measured;
}

async function measure(stage: RailStage, seconds: number): Promise<Window> {
  const { service, servers, simulator } = stage;
  const processes = [...service.processes, simulator.process];
  const pids = Object.fromEntries(processes.map(({ name, pid }) => [name, pid]));
  const watched = { ...servers.pids, ...pids };
  const before = readCpu(watched);
  const stopYardstick = startYardstick();
  const [beganMs, machineBefore] = [performance.now(), readMachineCpu()];
  const [test, other] = await Promise.all([
    send(service, { key: service.key, method: 'QRIS', rate: TEST_RATE }, seconds),
    send(service, { key: service.liveKey, method: 'VA_BCA', rate: OTHER_RATE }, seconds),
  ]);
  const yardstickUs = stopYardstick();
  const cpu = subtractCpu(readCpu(watched), before);
  const own = Object.values(cpu).reduce((sum, one) => sum + one, 0);
  const passedS = (performance.now() - beganMs) / 1000;
  const foreignCpus = (readMachineCpu() - machineBefore - own) / passedS;
  const p50s = [test, other].map(({ sortedMs }) => formatMs(percentile(sortedMs, 0.5)));
  console.log(
    `  p50 TEST, other: ${p50s.join(', ')}  CPU µs: ${describeCpu(cpu, test.sortedMs.length)}` +
      `  others: ${foreignCpus.toFixed(2)} CPUs  yardstick: ${yardstickUs.toFixed(0)} µs`,
  );
  return { test, other, yardstickUs, foreignCpus };
}

/** The windows of a phase that has lasted for `settleS`. */
async function measurePhase(
  stage: RailStage,
  settleS: number,
  seconds: number,
): Promise<readonly Window[]> {
  await measure(stage, settleS);
  const windows: Window[] = [];
  for (let window = 0; window < WINDOWS; window += 1) {
    windows.push(await measure(stage, seconds / WINDOWS));
  }
  return windows;
}

async function planHang(simulatorUrl: string, ms: number): Promise<void> {
  const rules = OPERATIONS.map((operation) => ({
    operation,
    rail: 'midtrans',
    kind: 'latency',
    ms,
  }));
  const response = await fetch(`${simulatorUrl}/control/faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ rules: ms === 0 ? [] : rules }),
  });
  if (!response.ok) throw new Error(`the simulator refuses its faults: ${await response.text()}`);
}

function rowOfMemory(processes: readonly NodeProcess[], waited: Measured): Row {
  const peaks = processes.map(({ name, pid }) => ({ name, mib: readPeakRssMib(pid) }));
  const limits = Object.entries(LIMITS_MIB).map(([name, limit]) => `${name} ≤ ${limit}`);
  return {
    bench: `${Math.round((HUNG_RATE * HANG_MS) / 1000)} LIVE creates waiting`,
    control: '–',
    service: `p50 ${formatMs(percentile(waited.sortedMs, 0.5))}, ${waited.errors} errors`,
    result: peaks.map(({ name, mib }) => `${name} ${mib.toFixed(0)} MiB`).join(', '),
    target: `MiB: ${limits.join(', ')}`,
    isMet: waited.errors === 0 && peaks.every(({ name, mib }) => mib <= (LIMITS_MIB[name] ?? 0)),
  };
}

async function bench(stage: RailStage, seconds: number, plan: string): Promise<Measurements> {
  const { service } = stage;
  const phases: Phase[] = [];
  const waited: Promise<Measured>[] = [];
  for (const [index, kind] of [...plan].entries()) {
    const isHanging = kind === 'H';
    const settleS = index === 0 ? WARM_UP_S : SETTLE_S;
    await planHang(stage.simulator.url, isHanging ? HANG_MS : 0);
    const live = { key: service.liveKey, method: 'QRIS', rate: HUNG_RATE };
    const beside = send(service, live, settleS + seconds);
    if (isHanging) waited.push(beside);
    console.log(isHanging ? 'hangs' : 'answers');
    phases.push({ isHanging, windows: await measurePhase(stage, settleS, seconds) });
  }
  const hung = await Promise.all(waited);
  const sortedMs = hung.flatMap((one) => one.sortedMs);
  const errors = hung.reduce((sum, one) => sum + one.errors, 0);
  return { phases, waited: { sortedMs, errors } };
}

async function startSimulator(servers: Servers): Promise<Simulator> {
  const port = await findFreePort();
  const file = join(servers.folder, 'simulator.json');
  writeFileSync(file, JSON.stringify({ port, ...SECRETS }), { mode: 0o600 });
  const process = await startNode({
    name: 'simulator',
    file: 'dist/bundle/rail-simulator/main.js',
    args: [file],
    output: join(servers.folder, 'simulator.log'),
  });
  return { url: `http://127.0.0.1:${port}`, process };
}

const [seconds = SECONDS, plan = PHASES] = process.argv.slice(2);
const releases: (() => Promise<void>)[] = [];
try {
  const servers = await startServers();
  releases.push(() => servers.stop());
  const simulator = await startSimulator(servers);
  releases.push(() => simulator.process.stop());
  const service = await startService(servers, {
    ...{ gateways: 1, payments: 1, rails: 1 },
    env: {
      // The simulator speaks plain HTTP, which production refuses; nothing else depends on it.
      NODE_ENV: 'development',
      RAIL_MIDTRANS_URL: `${simulator.url}/midtrans`,
      RAIL_MIDTRANS_SERVER_KEY: SECRETS.midtransServerKey,
      RAIL_XENDIT_URL: `${simulator.url}/xendit`,
      RAIL_XENDIT_SECRET_KEY: SECRETS.xenditSecretKey,
      RAIL_XENDIT_CALLBACK_TOKEN: SECRETS.xenditCallbackToken,
      RAIL_ROUTES: ROUTES,
    },
  });
  releases.push(() => service.stop());
  const machine = await describeMachine(servers.postgres.url('postgres'));
  console.log(machine);
  const measurements = await bench({ servers, service, simulator }, Number(seconds), plan);
  const memory = rowOfMemory(service.processes, measurements.waited);
  const table = formatPhases(measurements.phases, [memory]);
  console.log(`\n${table}`);
  if (plan === PHASES) writeSection('rails', `${describeRun(machine)}\n\n${table}`);
} finally {
  for (const release of releases.reverse()) await release();
}
