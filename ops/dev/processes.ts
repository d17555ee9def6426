// The processes of the Procfile as programs of `npm start`, with their environment.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config, Environment } from '../runtime/config.js';
import { findPackageRoot } from '../runtime/package-root.js';
import { type ProcfileEntry, readProcfile } from './launch/procfile.js';
import type { Program } from './launch/program.js';

/** In the order of starting; stopping reverses it. */
const STARTED_IN_ORDER = ['webhooks', 'rails', 'payments', 'gateway'] as const;
export type ProcfileName = (typeof STARTED_IN_ORDER)[number];

/** Added to METRICS_PORT if it is given, so that each process has a port. */
const METRICS_OFFSETS: Record<ProcfileName, number> = {
  gateway: 0,
  payments: 1,
  rails: 2,
  webhooks: 3,
};

/** Time beyond the process's own limit, for its last log lines. */
const STOP_GRACE_MS = 3_000;

/** The processes that are built, in the order of starting. */
export function listProcesses(): ProcfileEntry<ProcfileName>[] {
  const root = findPackageRoot();
  return STARTED_IN_ORDER.flatMap((name) => {
    const entry = readProcfile(root, name);
    return entry !== undefined && existsSync(join(root, entry.main)) ? [entry] : [];
  });
}

export interface ProcessContext {
  readonly config: Config;
  readonly environment: Environment;
  /** Variables that the start generated: addresses of servers, keys. */
  readonly made: Environment;
  /** Metrics ports that processes reported. */
  readonly metricsPorts: Map<string, number>;
}

/** The current command and environment of a process. A restart keeps the metrics port. */
export function describeProcess(
  entry: ProcfileEntry<ProcfileName>,
  around: ProcessContext,
): Program {
  const { config, environment, made, metricsPorts } = around;
  const preset = environment['METRICS_PORT']
    ? config.metricsPort + METRICS_OFFSETS[entry.name]
    : undefined;
  const metricsPort = metricsPorts.get(entry.name) ?? preset;
  return {
    name: entry.name,
    command: process.execPath,
    args: [...entry.flags, join(findPackageRoot(), entry.main)],
    env: {
      ...environment,
      ...made,
      METRICS_PORT: metricsPort === undefined ? undefined : String(metricsPort),
      METRICS_PORT_FALLBACK: '1',
    },
    output: 'inherit',
    hasChannel: true,
    stopSignal: 'SIGTERM',
    stopMs: config.shutdownMs + STOP_GRACE_MS,
  };
}
