// The first step of every process: configuration, log, lifecycle and metrics, before any connection is opened.
import { type Config, type ProcessName, readConfig } from './config.js';
import { createLifecycle, type Lifecycle } from './lifecycle.js';
import { createLog, type Log } from './log.js';
import { createRegistry, type Registry, startMetrics } from './metrics.js';

export interface Process {
  readonly config: Config;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
  readonly registry: Registry;
}

export async function startProcess(name: ProcessName): Promise<Process> {
  const config = readConfig(name);
  const log = createLog(config, name);
  const lifecycle = createLifecycle(config, log);
  const registry = createRegistry();
  const metrics = await startMetrics(config, registry);
  lifecycle.onStop('metrics', metrics.close);
  return { config, log, lifecycle, registry };
}
